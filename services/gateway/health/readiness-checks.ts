import type { DatabasePool } from "slonik";
import { ANALYTICS, PROJECTIONS, RELAYS } from "#contracts/names.ts";
import { MIB } from "#contracts/units.ts";
import type { CircuitState } from "#infra/agency/circuit-breaker.ts";
import type { Config } from "#infra/config/config.ts";
import type { OperatedEventLog, Position } from "#infra/event-log/event-log.ts";
import { findRefusal, readFeedCheckpoint, refusalSentence } from "#infra/kafka/feed-checkpoint.ts";
import { type Memory, readMemory } from "#infra/lifecycle/memory.ts";
import { createWaitingNotices } from "#infra/notifications/waiting-notices.ts";
import { isDiskFull } from "#infra/postgres/failures.ts";
import { NotWritable, requireWritable } from "#infra/postgres/require-writable.ts";
import { readRelayCheckpoint } from "#infra/relays/relay-checkpoint.ts";
import type { AgencyCircuits } from "#services/agencies/agency-circuits.ts";
import { feedCheck } from "./feed-check.ts";
import { notificationsCheck } from "./notifications-check.ts";
import { projectionsCheck } from "./projections-check.ts";
import { type Check, type Checks, probe } from "./readiness.ts";

export type ReadinessDeps = {
  readonly config: Pick<Config, "natsUrl" | "kafka">;
  readonly pool: DatabasePool;
  readonly now: () => Date;
  readonly circuits: AgencyCircuits;
  readonly eventLog: Pick<
    OperatedEventLog,
    "kind" | "head" | "subscribe" | "ordinal" | "stall" | "mismatch"
  >;
  readonly deliveryStates: () => Readonly<Record<string, string>>;
  /** States of this process's publishers; null when another process publishes. */
  readonly feedStates: Readonly<Record<"changes" | "analytics", () => string | null>>;
};

/** Database, agency and memory first, in this order (`contracts/docs/administration.md`, Health); then the others. */
export function readinessChecks(deps: ReadinessDeps, startHead: Position): () => Promise<Checks> {
  const constant = constantChecks(deps, startHead);
  return async () => ({ ...constant, ...(await furtherAgencies(deps)) });
}

/** The checks that are always the same ones. */
function constantChecks(deps: ReadinessDeps, startHead: Position): Checks {
  const { config, pool, circuits, eventLog, deliveryStates, feedStates } = deps;
  const logAnswers = probe(() => eventLog.head(), "The event log does not answer");
  return {
    database: databaseCheck(pool),
    agency_api: circuitCheck(circuits.first),
    memory: memoryCheck(),
    // Without the log, a change would be refused or not become visible.
    [eventLog.kind]: async () => {
      const mismatch = eventLog.mismatch();
      if (mismatch) return { status: "unhealthy", message: mismatch.message };
      if (eventLog.stall()) {
        return { status: "unhealthy", message: "A transaction holds the event log back" };
      }
      return logAnswers();
    },
    projections: projectionsCheck({
      pool,
      log: eventLog,
      now: deps.now,
      projections: Object.values(PROJECTIONS),
      startHead,
    }),
    notifications: notificationsCheck({
      pool,
      deliveryStates,
      waitingNotices:
        config.natsUrl === null ? null : createWaitingNotices({ log: eventLog, pool }),
    }),
    ...(config.natsUrl !== null && {
      changes: feedCheck(eventLog, feedStates.changes, () =>
        readRelayCheckpoint(pool, RELAYS.changes),
      ),
    }),
    ...(config.kafka !== null && {
      analytics: feedCheck(
        eventLog,
        feedStates.analytics,
        () => readFeedCheckpoint(pool, ANALYTICS.feed),
        async () => {
          const refusal = await findRefusal(pool, ANALYTICS.feed);
          return refusal && refusalSentence(refusal);
        },
      ),
    }),
  };
}

/** An agency that does not answer is told; the service is ready without it. */
function circuitCheck(state: () => CircuitState): Check {
  return async () => ({ status: "healthy", message: `Circuit breaker: ${state()}` });
}

async function furtherAgencies({ circuits }: ReadinessDeps): Promise<Checks> {
  const further = await circuits.further();
  return Object.fromEntries(
    further.map(({ id, state }) => [`agency:${id}`, circuitCheck(() => state)]),
  );
}

/** Healthy while the database answers and accepts changes. */
function databaseCheck(pool: DatabasePool): Check {
  return probe(() => requireWritable(pool), failureOf);
}

function failureOf(error: unknown): string {
  if (isDiskFull(error)) return "The disk of the database is full: no change can be stored";
  if (error instanceof NotWritable) return "The database is read-only: no change can be stored";
  return "The database does not answer";
}

/** Above this share the process is likely to run out of memory. */
const UNHEALTHY_SHARE = 0.9;

/**
 * Compares the heap with its limit, and resident memory with that of the control group or the
 * machine.
 */
export function memoryCheck(read: () => Memory = readMemory): Check {
  return async () => {
    const { heap, heapLimit, resident, residentLimit } = read();
    const isFull = heap > UNHEALTHY_SHARE * heapLimit || resident > UNHEALTHY_SHARE * residentLimit;
    const parts = [`Heap ${share(heap, heapLimit)}`, `resident ${share(resident, residentLimit)}`];
    return { status: isFull ? "unhealthy" : "healthy", message: parts.join(", ") };
  };
}

function share(used: number, limit: number): string {
  const percent = Math.round((100 * used) / limit);
  return `${Math.round(used / MIB)} MB of ${Math.round(limit / MIB)} MB (${percent}%)`;
}
