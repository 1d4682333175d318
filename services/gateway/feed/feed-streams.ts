import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import type { Readers } from "#projections/read/rights.ts";
import type { VersionHistory } from "#services/domain/versions.ts";
import type { StreamHolder, StreamPlaces } from "../capacity/stream-places.ts";
import {
  createKeptStream,
  endStream,
  type FeedStream,
  feedStream,
  type KeptStream,
  type StreamOptions,
} from "./feed-stream.ts";
import { mayRead, readersOf } from "./reader.ts";

export type FeedStreams = {
  /** @throws Overloaded when too many are open */
  readonly open: (options: StreamOptions, holder: StreamHolder) => FeedStream;
  readonly follows: (catalogueId: string) => boolean;
  readonly tell: (catalogueId: string, history: VersionHistory | null) => Promise<void>;
  /** Ends the streams whose clients may not read any more. */
  readonly checkReaders: () => Promise<void>;
  readonly size: () => number;
  readonly close: () => void;
};

export type FeedTimes = {
  /** Longest time that a client takes for what it is given. */
  readonly slowMs: number;
  /** Between two checks of who may read. */
  readonly checkMs: number;
  /** Longest time that a stream goes on while that cannot be checked. */
  readonly uncheckedMs: number;
  readonly tickMs: number;
};

export const FEED_TIMES: FeedTimes = {
  slowMs: 30_000,
  checkMs: 5_000,
  uncheckedMs: 14_000,
  tickMs: 1_000,
};

export type FeedStreamsDeps = {
  readonly places: StreamPlaces;
  readonly presentReaders: (readers: Readers) => Promise<ReadonlySet<string>>;
  readonly times?: FeedTimes;
  readonly logger: Pick<Logger, "warn" | "info">;
};

/** Streams woken without giving way. */
const WOKEN_AT_ONCE = 100;

/** The open streams of changes of this process, with one clock for all. */
export function createFeedStreams(deps: FeedStreamsDeps): FeedStreams {
  const { places, times = FEED_TIMES } = deps;
  const followers = createFollowers();
  const { all } = followers;
  // Advanced by the timer: while the whole process is suspended, no client's time counts.
  let nowMs = 0;
  let isClosed = false;
  const checks = readerChecks(all, () => nowMs, deps);

  const timer = setInterval(() => {
    nowMs += times.tickMs;
    for (const stream of all) watch(stream, nowMs, times);
    if (all.size > 0 && nowMs % times.checkMs < times.tickMs) checks.unlessRunning();
  }, times.tickMs);
  timer.unref();

  return {
    open(options, holder) {
      const stream = createKeptStream(options, nowMs);
      const place = places.take(holder, () => endStream(stream, "crowded"));
      if (isClosed) endStream(stream, "stopping");
      followers.add(stream);
      const close = (): void => {
        followers.remove(stream);
        place.leave();
      };
      return feedStream(stream, { now: () => nowMs, place, close });
    },
    follows: (catalogueId) => followers.has(catalogueId),
    async tell(catalogueId, history) {
      let woken = 0;
      for (const stream of followers.of(catalogueId)) {
        stream.news.set(catalogueId, history);
        stream.wake?.("news");
        woken += 1;
        if (woken % WOKEN_AT_ONCE === 0) await setImmediate();
      }
    },
    checkReaders: checks.anew,
    size: () => all.size,
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const stream of all) {
        endStream(stream, "stopping");
        if (stream.handedAt !== null) stream.options.cut("stopping");
      }
    },
  };
}

/** All streams, and those that follow each catalogue. */
function createFollowers() {
  const all = new Set<KeptStream>();
  const byCatalogue = new Map<string, Set<KeptStream>>();
  return {
    all,
    add(stream: KeptStream): void {
      all.add(stream);
      for (const id of stream.options.catalogueIds) {
        byCatalogue.set(id, (byCatalogue.get(id) ?? new Set()).add(stream));
      }
    },
    remove(stream: KeptStream): void {
      all.delete(stream);
      for (const id of stream.options.catalogueIds) {
        const streams = byCatalogue.get(id);
        streams?.delete(stream);
        if (streams?.size === 0) byCatalogue.delete(id);
      }
    },
    of: (id: string): readonly KeptStream[] => [...(byCatalogue.get(id) ?? [])],
    has: (id: string): boolean => byCatalogue.has(id),
  };
}

/** Cuts a client that takes nothing, and wakes a stream that was silent for long. */
function watch(stream: KeptStream, nowMs: number, { slowMs, tickMs }: FeedTimes): void {
  const { handedAt, options } = stream;
  if (handedAt !== null) {
    if (stream.end === null && nowMs - handedAt < slowMs) return;
    endStream(stream, "slow");
    stream.handedAt = null;
    options.cut(stream.end ?? "slow");
  } else if (nowMs - stream.sentAt >= options.beatMs - tickMs) stream.wake?.("beat");
}

/** Checks of who may still read, for all streams by one question at a time. */
function readerChecks(
  all: ReadonlySet<KeptStream>,
  now: () => number,
  { presentReaders, times = FEED_TIMES, logger }: FeedStreamsDeps,
): { readonly anew: () => Promise<void>; readonly unlessRunning: () => void } {
  let running: Promise<void> | null = null;

  async function check(): Promise<void> {
    const streams = [...all];
    try {
      const present = await presentReaders(readersOf(streams.map(({ options }) => options)));
      for (const stream of streams) {
        if (mayRead(stream.options, present)) stream.checkedAt = now();
        else endStream(stream, "ended");
      }
    } catch (error) {
      logger.warn({ err: error }, "who may follow changes cannot be checked");
      for (const stream of streams) {
        if (now() - stream.checkedAt > times.uncheckedMs) endStream(stream, "ended");
      }
    }
  }

  function anew(): Promise<void> {
    if (running !== null) return running.then(anew);
    running = check().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    anew,
    unlessRunning() {
      if (running === null) void anew();
    },
  };
}
