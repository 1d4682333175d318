import type { VersionHistory } from "#services/domain/versions.ts";
import type { StreamPlace } from "../capacity/stream-places.ts";
import type { Reading } from "./reader.ts";

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

export type StreamOptions = Reading & {
  readonly beatMs: number;
  /** Ends the connection of a client that does not take what it was given. */
  readonly cut: (end: StreamEnd) => void;
};

/** What a stream is to its keeper. */
export type KeptStream = {
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
export function createKeptStream(options: StreamOptions, nowMs: number): KeptStream {
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

export function endStream(stream: KeptStream, why: StreamEnd): void {
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
export function feedStream(stream: KeptStream, { now, place, close }: Keeper): FeedStream {
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
