import type { PoolClient } from "pg";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";

/** One connection inside the transaction that also moves the checkpoint. */
export type Transaction = Pick<PoolClient, "query">;

/**
 * A read model: how events become rows. Without side effects beyond its own tables, so that
 * replaying the log gives the same rows.
 */
export type Projection = {
  readonly name: string;
  readonly types: readonly string[];
  /** What an event is about: events of a subject wait behind one of it that cannot be applied. */
  readonly subject: (event: RecordedEvent) => string;
  /** Applies events in order. Throwing undoes the transaction. */
  readonly apply: (transaction: Transaction, events: readonly RecordedEvent[]) => Promise<void>;
  /** Marks the read model of a subject whose events are parked. */
  readonly markParked?: (transaction: Transaction, subject: string) => Promise<void>;
};
