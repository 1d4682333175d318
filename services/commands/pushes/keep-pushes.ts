import type { CommonQueryMethods } from "slonik";
import {
  keepConnected,
  type PushSource,
  type PushTimes,
  type ReadMessage,
  readMessage,
} from "#infra/agency/push.ts";
import { createWakeUp } from "#infra/kernel/waiting.ts";
import type { Logger } from "#infra/process/logger.ts";
import {
  notePushConnected,
  notePushesLost,
  notePushLost,
  wantedAgencies,
} from "#projections/read/schedules.ts";
import type { Agencies } from "#services/agencies/agencies.ts";
import type { Deliveries } from "./deliver-messages.ts";

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
  readonly deliveries: Pick<Deliveries, "take" | "flood">;
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
async function choose(
  deps: KeepPushesDeps,
  kept: Map<string, Kept>,
  changed: () => void,
): Promise<void> {
  const wanted = await wantedSources(deps);
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
function createNotes(
  { pool, now, counts }: Pick<KeepPushesDeps, "pool" | "now" | "counts">,
  kept: ReadonlyMap<string, Kept>,
) {
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

/** The agencies that are to be heard, by their ids. */
async function wantedSources({
  pool,
  agencies,
}: Pick<KeepPushesDeps, "pool" | "agencies">): Promise<ReadonlyMap<string, PushSource>> {
  const ids = await wantedAgencies(pool);
  const sources = ids.size === 0 ? [] : await agencies.toHear();
  return new Map(sources.filter(({ id }) => ids.has(id)).map((source) => [source.id, source]));
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
