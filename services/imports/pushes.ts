/**
 * Agencies that send messages by themselves: connections to those that schedules want to hear, and the passing on of
 * what they send.
 */

import type { CommonQueryMethods } from "slonik";
import {
  keepConnected,
  type PushedEvent,
  type PushSource,
  type PushTimes,
  type ReadMessage,
  readMessage,
} from "#infra/agency/push.ts";
import { createQueryTest } from "#infra/agency/windows.ts";
import { createRequestSlots } from "#infra/kernel/fair-queue.ts";
import { createBackoff, createWakeUp, sleep } from "#infra/kernel/waiting.ts";
import type { Logger } from "#infra/process/logger.ts";
import {
  notePushConnected,
  notePushesLost,
  notePushLost,
  pushedSchedules,
  runPushedSoon,
  wantedAgencies,
} from "#projections/read/schedules.ts";
import { isOlder, lastUpdate } from "#services/domain/imports/run.ts";
import { windowOf } from "#services/domain/imports/schedule.ts";
import type { Regions } from "#services/regions/commands.ts";
import type { Agencies } from "./agencies.ts";
import type { Scheduler } from "./schedules.ts";

export type PushCounts = {
  readonly message: (agencyId: string, outcome: ReadMessage["outcome"]) => void;
  /** An agency sent too much, and was left. */
  readonly flooded: (agencyId: string) => void;
  /** An agency was connected again. */
  readonly reconnected: (agencyId: string) => void;
};

export type KeepPushesDeps = {
  readonly pool: CommonQueryMethods;
  readonly now: () => Date;
  readonly agencies: Pick<Agencies, "toHear">;
  readonly deliveries: Pick<ReturnType<typeof createDeliveries>, "take" | "flood">;
  readonly counts: PushCounts;
  readonly logger: Logger;
  readonly times: PushTimes;
  /** How often it is looked for schedules and agencies that have changed. */
  readonly pollMs: number;
};

/** A connection that is kept. */
type Kept = {
  readonly source: PushSource;
  /** Null while it is not there. */
  readonly since: () => Date | null;
  readonly close: () => Promise<void>;
};

/**
 * Keeps a connection to each agency that sends messages which some schedule wants, until the signal aborts.
 * @param connected told of the connections that are there
 */
export async function keepPushes(
  deps: KeepPushesDeps,
  signal: AbortSignal,
  connected: (agencyIds: readonly string[]) => void,
): Promise<void> {
  const { logger, pollMs } = deps;
  const kept = new Map<string, Kept>();
  const wakeUp = createWakeUp();
  const notes = createNotes(deps, kept);
  try {
    while (!signal.aborted) {
      const version = wakeUp.version();
      try {
        await choose(deps, kept, wakeUp.wake);
        connected([...kept].flatMap(([id, { since }]) => (since() === null ? [] : [id])));
        await notes.write();
      } catch (error) {
        logger.warn({ err: error }, "it cannot be looked for agencies that send messages");
      }
      await wakeUp.wait(version, pollMs, signal);
    }
  } finally {
    connected([]);
    await Promise.all([...kept.values()].map(({ close }) => close()));
    kept.clear();
    await notes.write().catch(() => undefined);
  }
}

/** Closes what nobody wants any more, and what has another address now; opens what is wanted. */
async function choose(deps: KeepPushesDeps, kept: Map<string, Kept>, changed: () => void) {
  const ids = await wantedAgencies(deps.pool);
  const sources = ids.size === 0 ? [] : await deps.agencies.toHear();
  const wanted = new Map(
    sources.filter(({ id }) => ids.has(id)).map((source) => [source.id, source]),
  );
  for (const [id, { source, close }] of kept) {
    if (wanted.get(id)?.address === source.address) continue;
    await close();
    kept.delete(id);
  }
  for (const [id, source] of wanted) {
    if (!kept.has(id)) kept.set(id, open(deps, source, changed));
  }
}

/** Notes in the database which connections there are; where one came again, its schedules run soon by that. */
function createNotes({ pool, now, counts }: KeepPushesDeps, kept: ReadonlyMap<string, Kept>) {
  const noted = new Map<string, Date>();
  let isBegun = false;
  return {
    async write(): Promise<void> {
      if (!isBegun) await notePushesLost(pool, now());
      isBegun = true;
      for (const [id, since] of noted) {
        if (kept.get(id)?.since() === since) continue;
        await notePushLost(pool, id, since, now());
        noted.delete(id);
      }
      for (const [id, { since }] of kept) {
        const at = since();
        if (at === null || noted.has(id)) continue;
        if (await notePushConnected(pool, id, at)) counts.reconnected(id);
        noted.set(id, at);
      }
    },
  };
}

function open(
  { deliveries, counts, logger, times, now }: KeepPushesDeps,
  source: PushSource,
  changed: () => void,
): Kept {
  let since: Date | null = null;
  const closing = new AbortController();
  const become = (at: Date | null): void => {
    since = at;
    changed();
  };
  const listener = {
    connected: () => become(now()),
    lost: () => become(null),
    flooded(): void {
      counts.flooded(source.id);
      deliveries.flood(source.id);
    },
    message(bytes: Buffer): void {
      const message = readMessage(bytes);
      counts.message(source.id, message.outcome);
      if (message.outcome === "event") deliveries.take(source.id, message.pushed);
    },
  };
  const ended = keepConnected(source, listener, { logger, times, signal: closing.signal });
  return {
    source,
    since: () => since,
    close: async () => {
      closing.abort();
      await ended;
    },
  };
}

export type DeliveriesDeps = {
  readonly pool: CommonQueryMethods;
  readonly now: () => Date;
  readonly regions: Regions;
  readonly scheduler: Pick<Scheduler, "apply">;
  readonly logger: Logger;
  /** Ends what waits: whoever connects next makes up for it. */
  readonly signal: AbortSignal;
};

/** Events of messages by their ids at the agency. */
type Events = Map<string, PushedEvent>;

/** How long messages are waited for that come together. */
const GATHER_MS = 250;
/** Events of an agency that wait, and those of a schedule; more are left to a run of the schedule. */
const MAX_WAITING = 2_000;
const RUNS_AT_ONCE = 4;
/** While a schedule runs. */
const BUSY = { baseMs: 200, capMs: 1_000 };
/** While the database does not answer. */
const AGAIN_MS = 1_000;

/**
 * Passes what agencies send on to each schedule that wants it: messages that come together are one run, and those
 * that come while it goes on are the next one.
 */
export function createDeliveries(deps: DeliveriesDeps) {
  const { pool, now, regions, scheduler, logger, signal } = deps;
  const slots = createRequestSlots(RUNS_AT_ONCE);
  const inboxes = new Map<string, Events>();
  const outboxes = new Map<string, Events>();
  /** Agencies of whose messages too many came. */
  const flooded = new Set<string>();
  const working = new Set<Promise<void>>();

  function start(work: Promise<void>): void {
    const settled = work.catch((error: unknown) =>
      logger.warn({ err: error }, "messages of an agency were left to the next run"),
    );
    const tracked: Promise<void> = settled.finally(() => working.delete(tracked));
    working.add(tracked);
  }

  function put(agencyId: string, events: Events, pushed: PushedEvent): void {
    const known = events.get(pushed.id);
    const isLate = known && isOlder(updateOf(pushed), updateOf(known));
    if (!isLate) events.set(pushed.id, pushed);
    if (events.size <= MAX_WAITING) return;
    events.clear();
    flooded.add(agencyId);
  }

  /** Passes the events of an agency on, which have been waited for. */
  async function sort(agencyId: string): Promise<void> {
    await sleep(GATHER_MS, signal);
    while (!signal.aborted) {
      const schedules = await testsOf(agencyId).catch(() => null);
      if (schedules === null) {
        await sleep(AGAIN_MS, signal);
        continue;
      }
      const events = [...(inboxes.get(agencyId)?.values() ?? [])];
      inboxes.delete(agencyId);
      for (const { id, isWanted } of schedules) {
        const wanted = events.filter(({ event }) => isWanted(event));
        if (wanted.length > 0) send(agencyId, id, wanted);
      }
      if (flooded.delete(agencyId)) await runPushedSoon(pool, agencyId, now());
      return;
    }
  }

  /** Its schedules, each with what tells which events it asks for. A run tells of a region that is gone. */
  async function testsOf(agencyId: string) {
    const schedules = await pushedSchedules(pool, agencyId);
    const tests = schedules.map(async ({ id, settings }) => {
      const { region = null } = settings.filters;
      const regionArea = region === null ? undefined : await regions.find(region);
      if (regionArea === null) return [];
      const { filters, detail } = settings;
      const { start: startTime, end: endTime } = windowOf(settings, now());
      const query = { ...filters, regionArea, startTime, endTime, detail };
      return [{ id, isWanted: createQueryTest(query) }];
    });
    return (await Promise.all(tests)).flat();
  }

  function send(agencyId: string, scheduleId: string, events: readonly PushedEvent[]): void {
    const waiting = outboxes.get(scheduleId);
    const outbox: Events = waiting ?? new Map();
    for (const pushed of events) put(agencyId, outbox, pushed);
    if (waiting !== undefined) return;
    outboxes.set(scheduleId, outbox);
    start(empty(agencyId, scheduleId, outbox).finally(() => outboxes.delete(scheduleId)));
  }

  async function empty(agencyId: string, scheduleId: string, outbox: Events): Promise<void> {
    const waits = createBackoff(BUSY);
    while (outbox.size > 0 && !signal.aborted) {
      const events = [...outbox.values()];
      outbox.clear();
      const applied = await slots.run(() => scheduler.apply(scheduleId, events), signal);
      if (applied === "busy") {
        const later = [...outbox.values()];
        for (const pushed of [...events, ...later]) put(agencyId, outbox, pushed);
        await sleep(waits.next(), signal);
      } else waits.reset();
    }
  }

  /** The events of an agency that wait to be sorted. */
  function inboxOf(agencyId: string): Events {
    const waiting = inboxes.get(agencyId);
    if (waiting !== undefined) return waiting;
    const inbox: Events = new Map();
    inboxes.set(agencyId, inbox);
    start(sort(agencyId));
    return inbox;
  }

  return {
    /** Takes an event of an agency, which is applied soon. */
    take: (agencyId: string, pushed: PushedEvent): void => put(agencyId, inboxOf(agencyId), pushed),
    /** An agency sent more than was taken: its schedules run soon. */
    flood(agencyId: string): void {
      flooded.add(agencyId);
      inboxOf(agencyId);
    },
    /** Once the signal has aborted: when nothing goes on any more. */
    settled: async (): Promise<void> => {
      while (working.size > 0) await Promise.all(working);
    },
  };
}

const updateOf = ({ event }: PushedEvent) => lastUpdate(event["extra"]);
