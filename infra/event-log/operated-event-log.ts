import type { PoolUse } from "#infra/metrics/pool-metrics.ts";
import type { EventLog, Position } from "./event-log.ts";

/** An event log with what its operators watch. */
export type OperatedEventLog = EventLog & {
  /** Where it is: by this name readiness reports it (contract §8). */
  readonly kind: "event_log" | "event_store";
  /** What keeps committed events from being read, null when nothing does. */
  stall(): object | null;
  /** Why it is not the log that the read models were made from; null while it is. */
  mismatch(): Error | null;
  /** A position as a number that can be subtracted from another: for measures, not for reading. */
  ordinal(position: Position): number;
  /** Null for a log that shares one connection among all. */
  readonly connections: (() => PoolUse) | null;
};
