import type { PoolClient } from "pg";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { ClientStatements } from "#infra/postgres/statements.ts";

/** One connection inside the transaction that also moves the checkpoint. */
export type Transaction = ClientStatements & {
  /** For COPY, and for statements that PostgreSQL has worded itself. */
  readonly client: Pick<PoolClient, "query">;
};

/** A table of a read model, by its bare name, and the columns that tell its rows apart. */
export type ProjectedTable = { readonly name: string; readonly key: readonly string[] };

/**
 * A read model: how events become rows. Without side effects beyond its own tables, so that
 * replaying the log gives the same rows.
 */
export type Projection = {
  readonly name: string;
  /** All that it writes to, beside its checkpoint and the events it has parked. */
  readonly tables: readonly ProjectedTable[];
  readonly types: readonly string[];
  /**
   * Reads events of all types, to stop at one that nobody knows: a newer version of the service may
   * have left it in the log. One projection does it for all.
   */
  readonly guardsLog?: boolean;
  /** What an event is about: events of a subject wait behind one of it that cannot be applied. */
  readonly subject: (event: RecordedEvent) => string;
  /** Applies events in order. Throwing undoes the transaction. */
  readonly apply: (transaction: Transaction, events: readonly RecordedEvent[]) => Promise<void>;
  /**
   * Makes PostgreSQL's statistics anew where the events change much of a table, in the transaction that
   * shows them: no query is planned for what was there before. Left out while tables are filled that
   * nobody reads yet.
   */
  readonly refreshStatistics?: (
    transaction: Transaction,
    events: readonly RecordedEvent[],
  ) => Promise<void>;
  /** Marks the read model of a subject whose events are parked. */
  readonly markParked?: (transaction: Transaction, subject: string) => Promise<void>;
  /** Takes the mark off again, before the parked events are applied. */
  readonly clearParked?: (transaction: Transaction, subject: string) => Promise<void>;
};
