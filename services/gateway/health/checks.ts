/** Whether the service is ready, by checks of all that it depends on. */

import type { CommonQueryMethods, DatabasePool } from "slonik";
import { ANALYTICS, PROJECTIONS, projectionLease, RELAYS } from "#contracts/events/log.ts";
import type { ReadinessCheck, ReadinessReport } from "#contracts/http/service.ts";
import { MIB } from "#contracts/units.ts";
import type { CircuitState } from "#infra/agency/http/exchange.ts";
import {
  alertCounts,
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
import { unheldSeconds } from "#infra/postgres/coordination.ts";
import { isDiskFull, NotWritable, requireWritable } from "#infra/postgres/failures.ts";
import { type Memory, readMemory } from "#infra/process/memory.ts";
import { type ProjectionState, projectionStates } from "#projections/engine/progress.ts";
import type { AgencyCircuits } from "#services/imports/agencies.ts";
import type { Pressure } from "../connections.ts";

type Check = () => Promise<Omit<ReadinessCheck, "name">>;

/** The checks in the order of the report (`contracts/docs/administration.md`, Health). */
export type Checks = Readonly<Record<string, Check>>;

/** A check that exceeds this time has failed. */
const CHECK_TIMEOUT_MS = 5_000;

/** Runs all checks at once; ready when every one is healthy. */
export async function readiness(checks: Checks, now: () => Date): Promise<ReadinessReport> {
  const started = performance.now();
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({ name, ...(await settle(check)) })),
  );
  const ready = results.every(({ status }) => status === "healthy");
  return {
    status: ready ? "ready" : "not_ready",
    timestamp: now().toISOString(),
    checks: results,
    responseTime: `${Math.round(performance.now() - started)}ms`,
  };
}

/** Unhealthy while requests are shed: what else comes is better sent elsewhere. */
export function pressureCheck(shedding: Pressure): Check {
  return async () => {
    const excess = shedding();
    if (excess === null) return { status: "healthy" };
    return { status: "unhealthy", message: `Requests are shed: ${excess}` };
  };
}

/** Times a probe: healthy when it resolves, unhealthy when it throws; the cause is only logged. */
function probe(run: () => Promise<unknown>, failure: string | ((error: unknown) => string)): Check {
  return async () => {
    const started = performance.now();
    const responseTime = () => Math.round(performance.now() - started);
    try {
      await run();
      return { status: "healthy", responseTime: responseTime() };
    } catch (error) {
      const message = typeof failure === "string" ? failure : failure(error);
      return { status: "unhealthy", message, responseTime: responseTime() };
    }
  };
}

async function settle(check: Check): Promise<Omit<ReadinessCheck, "name">> {
  const { promise: timedOut, resolve } = Promise.withResolvers<Omit<ReadinessCheck, "name">>();
  const timer = setTimeout(
    () => resolve({ status: "unhealthy", message: "The check did not end in time" }),
    CHECK_TIMEOUT_MS,
  );
  try {
    return await Promise.race([check(), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

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
    // Healthy while it accepts changes too.
    database: probe(() => requireWritable(pool), failureOf),
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
    alerts: alertsCheck(deps),
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
    const parts = [
      `Heap ${shareOf(heap, heapLimit)}`,
      `resident ${shareOf(resident, residentLimit)}`,
    ];
    return { status: isFull ? "unhealthy" : "healthy", message: parts.join(", ") };
  };
}

function shareOf(used: number, limit: number): string {
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
  return async () => ({
    status: "healthy",
    message: `publisher: ${state() ?? "in another process"}; ${await lagOf(log, readCheckpoint, reason)}`,
  });
}

async function lagOf(
  log: Pick<EventLog, "head">,
  readCheckpoint: () => Promise<Checkpoint>,
  reason: () => Promise<string | null>,
): Promise<string> {
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

/** Reports how far alerts have told the log, and what waits to be sent. Always healthy: it waits for receivers. */
function alertsCheck({ pool, eventLog, now }: ReadinessDeps): Check {
  return async () => {
    const readTold = () => readFeedCheckpoint(pool, RELAYS.alerts);
    const lag = await lagOf(eventLog, readTold, async () => null);
    const counts = await alertCounts(pool, now()).catch(() => null);
    const waiting = counts?.filter(({ status }) => status === "pending" || status === "parked");
    const sentences = waiting?.map(
      ({ status, count, oldestSeconds }) =>
        `${count} ${status}, the oldest for ${Math.round(oldestSeconds)} s`,
    ) ?? ["the queue cannot be read"];
    return { status: "healthy", message: [lag, ...sentences].join("; ") };
  };
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
      ...(waitingNotices === null ? [] : await brokerSentences(waitingNotices, isAway)),
      await queueSentence(pool),
    ].join("; ");
    return { status: "healthy", message };
  };
}

async function brokerSentences(
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

async function queueSentence(pool: CommonQueryMethods): Promise<string> {
  try {
    const { pending, parked } = await notificationCounts(pool);
    return `${pending} pending, ${parked} parked`;
  } catch {
    return "the queue cannot be read";
  }
}

export type ProjectionsCheckDeps = {
  readonly pool: DatabasePool;
  readonly log: Pick<OperatedEventLog, "head" | "ordinal">;
  readonly now: () => Date;
  /** All expected projections, including those that have applied nothing yet. */
  readonly projections: readonly string[];
  /** The log's head at the start of this process. */
  readonly startHead: Position;
};

const UNMOVED: Omit<ProjectionState, "projection"> = {
  position: "",
  updatedAt: new Date(0).toISOString(),
  parked: 0,
  appliedEvents: 0,
};

/**
 * Reports how each read model follows the log. Unhealthy until all have reached the log's head at
 * the start of the process, since readers would miss old data before. Later lag is only reported, and so are
 * parked events, which affect single catalogues, and that no projector works: reads go on.
 */
export function projectionsCheck(deps: ProjectionsCheckDeps): Check {
  const { pool, log, now, projections, startHead } = deps;
  /** The first sample of each projection, from which its speed is measured. */
  const begun = new Map<string, Sample>();
  const caughtUp = new Set<string>();

  function progressOf(state: ProjectionState): string {
    const sample = sampleOf(state, log.ordinal, now());
    const first = begun.get(state.projection) ?? sample;
    begun.set(state.projection, first);
    return progressSentence(first, sample, log.ordinal(startHead));
  }

  function lagOf(state: ProjectionState, head: Position, isCaughtUp: boolean): string {
    if (!isCaughtUp) return progressOf(state);
    if (state.position >= head) return "up to date";
    const stillSeconds = Math.floor((now().getTime() - Date.parse(state.updatedAt)) / 1_000);
    return `behind, last moved ${stillSeconds} s ago`;
  }

  async function judge(state: ProjectionState, head: Position): Promise<Finding> {
    if (state.position >= startHead) caughtUp.add(state.projection);
    const healthy = caughtUp.has(state.projection);
    const unheld = await unheldSeconds(pool, projectionLease(state.projection));
    const lag = lagOf(state, head, healthy);
    return finding(state, unheld === null ? lag : `${lag}${withoutProjector(unheld)}`, healthy);
  }

  return async () => {
    try {
      // The head is read first, so that later appends do not count as lag.
      const head = await log.head();
      const states = await projectionStates(pool);
      const judged = projections.map((projection) => {
        const state = states.find((known) => known.projection === projection);
        return judge(state ?? { ...UNMOVED, projection }, head);
      });
      const findings = await Promise.all(judged);
      return {
        status: findings.every(({ healthy }) => healthy) ? "healthy" : "unhealthy",
        message: findings.map(({ message }) => message).join("; "),
      };
    } catch {
      return { status: "unhealthy", message: "The state of the projections cannot be read" };
    }
  };
}

/** A projector that ends is replaced, or comes again, within so long. */
const UNHELD_SECONDS = 10;

function withoutProjector(seconds: number): string {
  if (seconds < UNHELD_SECONDS) return "";
  const since = Number.isFinite(seconds) ? ` for ${Math.floor(seconds)} s` : "";
  return `, no projector has worked${since}`;
}

type Finding = { readonly healthy: boolean; readonly message: string };

function finding({ projection, parked }: ProjectionState, lag: string, healthy: boolean): Finding {
  if (parked === 0) return { healthy, message: `${projection}: ${lag}` };
  const events = parked === 1 ? "1 event" : `${parked} events`;
  return { healthy, message: `${projection}: ${lag}, ${events} parked` };
}

/** A projection's progress at a time; `ordinal` in the log's numbering. */
type Sample = { readonly ms: number; readonly ordinal: number; readonly events: number };

function sampleOf(
  { position, appliedEvents }: ProjectionState,
  ordinalOf: (position: Position) => number,
  at: Date,
): Sample {
  const ordinal = ordinalOf(position as Position);
  return { ms: at.getTime(), ordinal, events: appliedEvents };
}

/** Share of the log that is applied, speed, and remaining time at that speed. */
function progressSentence(first: Sample, last: Sample, goal: number): string {
  const percent = `${Math.floor((100 * last.ordinal) / goal)} %`;
  const seconds = (last.ms - first.ms) / 1_000;
  const moved = last.ordinal - first.ordinal;
  if (seconds === 0 || moved <= 0) return percent;
  const speed = Math.round((last.events - first.events) / seconds).toLocaleString("en");
  const left = Math.ceil(((goal - last.ordinal) * seconds) / moved);
  return `${percent}, ${speed} events/s, about ${left} s`;
}
