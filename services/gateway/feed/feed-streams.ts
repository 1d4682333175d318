import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import type { Readers } from "#projections/queries/accounts/present-readers.ts";
import type { VersionHistory } from "#services/domain/catalogue/version-history.ts";
import { Overloaded } from "../capacity/retry-later.ts";

/** By what a stream's client may read: its session, a share with this hash of its secret, or as a guest. */
export type Reader =
  | { readonly kind: "session"; readonly sessionId: string }
  | { readonly kind: "share"; readonly hash: string }
  | { readonly kind: "guest" };

/** Why a stream ends: the gateway stops, its client may not read any more, or does not read. */
export type StreamEnd = "stopping" | "ended" | "slow";

/** An open stream of changes. */
export type FeedStream = {
  /** Catalogues with news since the last call, with their histories where those are known already. */
  readonly takeNews: () => ReadonlyMap<string, VersionHistory | null>;
  /** Waits for news, or for the time of a heartbeat. */
  readonly next: () => Promise<"news" | "beat" | "over">;
  /** Why it has ended; null while it goes on. */
  readonly end: () => StreamEnd | null;
  /** To be called before a client gets something, and when it has taken it. */
  readonly handOver: () => void;
  readonly taken: () => void;
  readonly close: () => void;
};

export type StreamOptions = {
  readonly catalogueIds: readonly string[];
  readonly reader: Reader;
  readonly beatMs: number;
  /** Ends the connection of a client that does not take what it was given. */
  readonly cut: (end: StreamEnd) => void;
};

export type FeedStreams = {
  /** @throws Overloaded when too many are open */
  readonly open: (options: StreamOptions) => FeedStream;
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
  readonly limit: number;
  readonly presentReaders: (readers: Readers) => Promise<ReadonlySet<string>>;
  readonly times?: FeedTimes;
  readonly logger: Pick<Logger, "warn" | "info">;
};

/** What a stream is to its keeper. */
type Kept = {
  readonly options: StreamOptions;
  readonly news: Map<string, VersionHistory | null>;
  wake: ((why: "news" | "beat" | "over") => void) | null;
  end: StreamEnd | null;
  /** Times in milliseconds of the streams' own clock. */
  sentAt: number;
  handedAt: number | null;
  checkedAt: number;
};

const RETRY_AFTER_SECONDS = 10;
/** Streams woken without giving way. */
const WOKEN_AT_ONCE = 100;

/** The open streams of this process, with one clock for all. */
export function createFeedStreams(deps: FeedStreamsDeps): FeedStreams {
  const { limit, presentReaders, times = FEED_TIMES, logger } = deps;
  const all = new Set<Kept>();
  const byCatalogue = new Map<string, Set<Kept>>();
  // Advanced by the timer: while the whole process is suspended, no client's time counts.
  let nowMs = 0;
  let checking: Promise<void> | null = null;
  let isClosed = false;

  function end(stream: Kept, why: StreamEnd): void {
    stream.end ??= why;
    stream.wake?.("over");
  }

  function watch(stream: Kept): void {
    const { handedAt, options } = stream;
    if (handedAt !== null) {
      if (stream.end === null && nowMs - handedAt < times.slowMs) return;
      end(stream, "slow");
      stream.handedAt = null;
      options.cut(stream.end ?? "slow");
    } else if (nowMs - stream.sentAt >= options.beatMs - times.tickMs) stream.wake?.("beat");
  }

  async function check(): Promise<void> {
    const streams = [...all];
    try {
      const present = await presentReaders(readersOf(streams));
      for (const stream of streams) {
        if (mayRead(stream.options, present)) stream.checkedAt = nowMs;
        else end(stream, "ended");
      }
    } catch (error) {
      logger.warn({ err: error }, "who may follow changes cannot be checked");
      for (const stream of streams) {
        if (nowMs - stream.checkedAt > times.uncheckedMs) end(stream, "ended");
      }
    }
  }

  function checkReaders(): Promise<void> {
    if (checking !== null) return checking.then(checkReaders);
    checking = check().finally(() => {
      checking = null;
    });
    return checking;
  }

  const timer = setInterval(() => {
    nowMs += times.tickMs;
    for (const stream of all) watch(stream);
    if (all.size > 0 && nowMs % times.checkMs < times.tickMs && checking === null) {
      void checkReaders();
    }
  }, times.tickMs);
  timer.unref();

  function remove(stream: Kept): void {
    all.delete(stream);
    for (const id of stream.options.catalogueIds) {
      const followers = byCatalogue.get(id);
      followers?.delete(stream);
      if (followers?.size === 0) byCatalogue.delete(id);
    }
  }

  return {
    open(options) {
      if (all.size >= limit) {
        throw new Overloaded("Too many streams are open; try again", RETRY_AFTER_SECONDS);
      }
      const stream: Kept = {
        options,
        news: new Map(options.catalogueIds.map((id) => [id, null])),
        wake: null,
        end: isClosed ? "stopping" : null,
        sentAt: nowMs,
        handedAt: null,
        checkedAt: nowMs,
      };
      all.add(stream);
      for (const id of options.catalogueIds) {
        const followers = byCatalogue.get(id) ?? new Set();
        byCatalogue.set(id, followers.add(stream));
      }
      return handle(stream);
    },
    follows: (catalogueId) => byCatalogue.has(catalogueId),
    async tell(catalogueId, history) {
      let woken = 0;
      for (const stream of [...(byCatalogue.get(catalogueId) ?? [])]) {
        stream.news.set(catalogueId, history);
        stream.wake?.("news");
        woken += 1;
        if (woken % WOKEN_AT_ONCE === 0) await setImmediate();
      }
    },
    checkReaders,
    size: () => all.size,
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const stream of all) {
        end(stream, "stopping");
        if (stream.handedAt !== null) stream.options.cut("stopping");
      }
    },
  };

  function handle(stream: Kept): FeedStream {
    return {
      takeNews() {
        const news = new Map(stream.news);
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
        stream.handedAt = nowMs;
      },
      taken() {
        stream.handedAt = null;
        stream.sentAt = nowMs;
      },
      close: () => remove(stream),
    };
  }
}

function readersOf(streams: readonly Kept[]): Readers {
  const sessions = new Set<string>();
  const shares = new Set<string>();
  const opened = new Set<string>();
  for (const { options } of streams) {
    const { reader, catalogueIds } = options;
    if (reader.kind === "session") sessions.add(reader.sessionId);
    else if (reader.kind === "share") shares.add(reader.hash);
    else for (const id of catalogueIds) opened.add(id);
  }
  return { sessions: [...sessions], shares: [...shares], opened: [...opened] };
}

function mayRead({ reader, catalogueIds }: StreamOptions, present: ReadonlySet<string>): boolean {
  if (reader.kind === "session") return present.has(reader.sessionId);
  if (reader.kind === "share") return present.has(reader.hash);
  return catalogueIds.every((id) => present.has(id));
}
