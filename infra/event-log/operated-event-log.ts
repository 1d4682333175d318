import type { PoolUse } from "#infra/metrics/pool-metrics.ts";
import type { EventLog, Position } from "./event-log.ts";

/** An event log with the state that operators watch. */
export type OperatedEventLog = EventLog & {
  /** Kind of the log, and the name of its check in the readiness report. */
  readonly kind: "event_log" | "event_store";
  /** What prevents committed events from being read; null when nothing does. */
  stall(): object | null;
  /** Why this is not the log that the read models were built from; null while it is. */
  mismatch(): Error | null;
  /** A position as a number whose differences can be measured; not for reading. */
  ordinal(position: Position): number;
  /** Null for a log with a single shared connection. */
  readonly connections: (() => PoolUse) | null;
};
