import type { CommonQueryMethods, DatabasePool } from "slonik";
import { ANALYTICS, PROJECTIONS, RELAYS } from "#contracts/names.ts";
import { MIB } from "#contracts/units.ts";
import type { CircuitState } from "#infra/agency/http/circuit-breaker.ts";
import {
  createWaitingNotices,
  notificationCounts,
  type WaitingNotices,
} from "#infra/brokers/notifications.ts";
import {
  findRefusal,
  readFeedCheckpoint,
  readRelayCheckpoint,
  refusalSentence,
} from "#infra/brokers/relay.ts";
import type { Config } from "#infra/config/config.ts";
import type { Checkpoint, EventLog, OperatedEventLog, Position } from "#infra/log/event-log.ts";
import { isDiskFull, NotWritable, requireWritable } from "#infra/postgres/failures.ts";
import { type Memory, readMemory } from "#infra/process/memory.ts";
import type { AgencyCircuits } from "#services/agencies/agency-circuits.ts";
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

/**
 * Reports the state of a feed that is published from the log. Always healthy: unpublished messages
 * are in the log, and requests do not wait for them.
 * @param state of this process's publisher; null when another process publishes
 * @param reason why the feed stands still; null for no known reason
 */
function feedCheck(
  log: Pick<EventLog, "head">,
  state: () => string | null,
  readCheckpoint: () => Promise<Checkpoint>,
  reason: () => Promise<string | null> = async () => null,
): Check {
  async function lag(): Promise<string> {
    try {
      // The head is read first, so that later appends do not count as lag.
      const head = await log.head();
      const { position } = await readCheckpoint();
      if (position >= head) return "up to date";
      const why = await reason();
      return why === null ? "behind" : `behind, ${why}`;
    } catch {
      return "the checkpoint cannot be read";
    }
  }
  return async () => ({
    status: "healthy",
    message: `publisher: ${state() ?? "in another process"}; ${await lag()}`,
  });
}

type NotificationsCheckDeps = {
  readonly pool: CommonQueryMethods;
  /** States of this process's parts of delivery. */
  readonly deliveryStates: () => Readonly<Record<string, string>>;
  /** Notices that the broker has not received yet; null without a broker. */
  readonly waitingNotices: (() => Promise<WaitingNotices>) | null;
};

/**
 * Reports the state of delivery. Always healthy: waiting notices are stored, and requests do not
 * wait for them.
 */
function notificationsCheck(deps: NotificationsCheckDeps): Check {
  const { pool, deliveryStates, waitingNotices } = deps;
  return async () => {
    const states = Object.entries(deliveryStates());
    // A notifier has no connection either until the publisher has made the broker ready.
    const isReached = states.some(([, state]) => state.startsWith("not ready"));
    const isAway = !isReached && states.some(([, state]) => state === "disconnected");
    const message = [
      ...states.map(([part, state]) => `${part}: ${state}`),
      ...(waitingNotices === null ? [] : await broker(waitingNotices, isAway)),
      await queue(pool),
    ].join("; ");
    return { status: "healthy", message };
  };
}

async function broker(
  waitingNotices: () => Promise<WaitingNotices>,
  isAway: boolean,
): Promise<string[]> {
  const waiting = await waitingNotices().then(sentenceOf, () => null);
  if (isAway) return [["the broker cannot be reached", ...(waiting ? [waiting] : [])].join(", ")];
  return waiting === null ? [] : [waiting];
}

/** Null when there is nothing to report. */
function sentenceOf({ count, isAll }: WaitingNotices): string | null {
  if (count === 0) return null;
  const number = isAll ? `${count}` : `at least ${count}`;
  return `${number} ${count === 1 ? "notice waits" : "notices wait"} for the broker`;
}

async function queue(pool: CommonQueryMethods): Promise<string> {
  try {
    const { pending, parked } = await notificationCounts(pool);
    return `${pending} pending, ${parked} parked`;
  } catch {
    return "the queue cannot be read";
  }
}
