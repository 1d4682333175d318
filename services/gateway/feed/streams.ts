/**
 * The open streams of this process: their places among all endless answers, what wakes them, and
 * who may still read.
 */

import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { type Readers, readingKey, type SignedReading } from "#projections/read/rights.ts";
import type { VersionHistory } from "#services/domain/versions.ts";
import { Overloaded } from "../../errors.ts";

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

/**
 * Why a stream ends: the gateway stops, its client may not read any more, does not read, or others have its
 * place.
 */
export type StreamEnd = "stopping" | "ended" | "slow" | "crowded";

/** An open stream of changes. */
export type FeedStream = {
  /** Catalogues with news since the last call, with their histories where those are known already. */
  readonly takeNews: () => ReadonlyMap<string, VersionHistory | null>;
  /** Waits for news, or for the time of a heartbeat. */
  readonly next: () => Promise<Awakening>;
  /** Why it has ended; null while it goes on. */
  readonly end: () => StreamEnd | null;
  /** To be called before a client gets something, and when it has taken it. */
  readonly handOver: () => void;
  readonly taken: () => void;
  readonly close: () => void;
};

type Awakening = "news" | "beat" | "over";

type StreamOptions = Reading & {
  readonly beatMs: number;
  /** Ends the connection of a client that does not take what it was given. */
  readonly cut: (end: StreamEnd) => void;
};

/** What a stream is to its keeper. */
type KeptStream = {
  readonly options: StreamOptions;
  readonly news: Map<string, VersionHistory | null>;
  wake: ((why: Awakening) => void) | null;
  end: StreamEnd | null;
  /** Times in milliseconds of the streams' own clock. */
  sentAt: number;
  handedAt: number | null;
  checkedAt: number;
};

/** A stream that begins with everything as news. */
function createKeptStream(options: StreamOptions, nowMs: number): KeptStream {
  return {
    options,
    news: new Map(options.catalogueIds.map((id) => [id, null])),
    wake: null,
    end: null,
    sentAt: nowMs,
    handedAt: null,
    checkedAt: nowMs,
  };
}

function endStream(stream: KeptStream, why: StreamEnd): void {
  stream.end ??= why;
  stream.wake?.("over");
}

type Keeper = {
  /** Milliseconds of the streams' own clock. */
  readonly now: () => number;
  readonly place: Pick<StreamPlace, "touch">;
  readonly close: () => void;
};

/** A kept stream as those see it who send it. */
function feedStream(stream: KeptStream, { now, place, close }: Keeper): FeedStream {
  return {
    takeNews() {
      const news = new Map(stream.news);
      if (news.size > 0) place.touch();
      stream.news.clear();
      return news;
    },
    next() {
      if (stream.end !== null) return Promise.resolve("over");
      if (stream.news.size > 0) return Promise.resolve("news");
      return new Promise((resolve) => {
        stream.wake = (why) => {
          stream.wake = null;
          resolve(why);
        };
      });
    },
    end: () => stream.end,
    handOver() {
      stream.handedAt = now();
    },
    taken() {
      stream.handedAt = null;
      stream.sentAt = now();
    },
    close,
  };
}

/**
 * By what a stream's client may read: its session, its access token, a share with this hash of its secret,
 * or as a guest.
 */
export type Reader =
  | { readonly kind: "session"; readonly sessionId: string }
  | { readonly kind: "token"; readonly tokenId: string }
  | { readonly kind: "share"; readonly hash: string }
  | { readonly kind: "guest" };

type Reading = { readonly reader: Reader; readonly catalogueIds: readonly string[] };

/** Everything that has to be looked up for all of them. */
function readersOf(all: Iterable<Reading>): Readers {
  const sessions = new Map<string, SignedReading>();
  const tokens = new Map<string, SignedReading>();
  const shares = new Set<string>();
  const opened = new Set<string>();
  for (const { reader, catalogueIds } of all) {
    if (reader.kind === "session") addReading(sessions, reader.sessionId, catalogueIds);
    else if (reader.kind === "token") addReading(tokens, reader.tokenId, catalogueIds);
    else if (reader.kind === "share") shares.add(reader.hash);
    else for (const id of catalogueIds) opened.add(id);
  }
  return {
    sessions: [...sessions.values()],
    tokens: [...tokens.values()],
    shares: [...shares],
    opened: [...opened],
  };
}

function addReading(
  readings: Map<string, SignedReading>,
  by: string,
  catalogueIds: readonly string[],
): void {
  for (const catalogueId of catalogueIds) {
    const reading = { by, catalogueId };
    readings.set(readingKey(reading), reading);
  }
}

function mayRead({ reader, catalogueIds }: Reading, present: ReadonlySet<string>): boolean {
  const isPresent = (by: string) =>
    catalogueIds.every((catalogueId) => present.has(readingKey({ by, catalogueId })));
  if (reader.kind === "session") return isPresent(reader.sessionId);
  if (reader.kind === "token") return isPresent(reader.tokenId);
  if (reader.kind === "share") return present.has(reader.hash);
  return catalogueIds.every((id) => present.has(id));
}

/** Whose a stream is. */
type StreamHolder = Pick<Asker, "caller" | "network">;

type StreamPlace = {
  /** To be called when its client has taken something new. */
  readonly touch: () => void;
  readonly leave: () => void;
};

/** The places of all endless answers of a process. */
export type StreamPlaces = ReturnType<typeof createStreamPlaces>;

export type StreamPlacesOptions = {
  readonly limit: number;
  /** A clock in milliseconds, from any start. */
  readonly now?: () => number;
};

/** How long a stream is silent before its own holder may lose it to his next one. */
const IDLE_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;

type HeldStream = { touchedAt: number; readonly giveUp: () => void; readonly leave: () => void };
type Holders = Map<string, Set<HeldStream>>;

/**
 * Shares the places between networks and accounts. One alone may have all; once all are taken, the network or
 * account with the most gives up the stream that was silent longest, so that nobody keeps the others out by
 * opening many. Who has his share already gives up one of his own, and only one that is idle.
 */
export function createStreamPlaces({ limit, now = () => performance.now() }: StreamPlacesOptions) {
  /** The streams of each network and account, the longest silent first. */
  const holders: Holders = new Map();
  let size = 0;

  function makeRoom(names: readonly string[]): void {
    const own = streamsOfLargest(holders, names);
    const most = streamsOfLargest(holders, holders.keys());
    const hasShare = most.size <= own.size + 1;
    const [silent] = hasShare && own.size > 0 ? own : most;
    if (silent === undefined || (hasShare && now() - silent.touchedAt < IDLE_MS)) {
      throw new Overloaded("Too many streams are open; try again", RETRY_AFTER_SECONDS);
    }
    silent.leave();
    silent.giveUp();
  }

  return {
    /**
     * @param giveUp ends the stream, whose place somebody else has
     * @throws Overloaded when no place is free and none is given up
     */
    take({ caller, network }: StreamHolder, giveUp: () => void): StreamPlace {
      const names = [...new Set([caller, `network ${network}`])];
      if (size >= limit) makeRoom(names);
      let isOver = false;
      const stream: HeldStream = {
        touchedAt: now(),
        giveUp,
        leave() {
          if (isOver) return;
          isOver = true;
          size -= 1;
          for (const name of names) removeStream(holders, name, stream);
        },
      };
      size += 1;
      for (const name of names) putLast(holders, name, stream);
      return {
        touch() {
          if (isOver) return;
          stream.touchedAt = now();
          for (const name of names) putLast(holders, name, stream);
        },
        leave: stream.leave,
      };
    },
    size: () => size,
  };
}

function streamsOfLargest(holders: Holders, names: Iterable<string>): Set<HeldStream> {
  let most = new Set<HeldStream>();
  for (const name of names) {
    const streams = holders.get(name);
    if (streams && streams.size > most.size) most = streams;
  }
  return most;
}

function putLast(holders: Holders, name: string, stream: HeldStream): void {
  const streams = holders.get(name) ?? new Set();
  streams.delete(stream);
  holders.set(name, streams.add(stream));
}

function removeStream(holders: Holders, name: string, stream: HeldStream): void {
  const streams = holders.get(name);
  streams?.delete(stream);
  if (streams?.size === 0) holders.delete(name);
}
