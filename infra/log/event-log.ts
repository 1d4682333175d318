/** The port of the event log; one contract suite proves that its adapters behave alike. */

import type { EventMetadata } from "#contracts/events/log.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { PoolUse } from "#infra/postgres/pool.ts";

/** A place in the whole log: opaque, serialisable, ordered by plain string comparison. */
export type Position = string & { readonly position: unique symbol };

/** Before the first event of the log. */
export const START = "" as Position;

/** The revision of a stream that does not exist; the first event of a stream has revision 0. */
export const NO_STREAM = -1;

/** An event to append. Domain events are JSON, chunks are bytes. */
export type NewEvent = {
  /** UUID derived from the command: the same command always gives the same ids. */
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject | Uint8Array;
  readonly metadata: EventMetadata;
};

export type RecordedEvent = NewEvent & {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  /** When the log stored it; ISO 8601 UTC, milliseconds. */
  readonly recordedAt: string;
};

export type Appended = { readonly revision: number; readonly position: Position };

/**
 * A reader's progress: position and id of the last event that it has examined. By the id the reader
 * recognises its log. The id is null at START and in old checkpoints without ids.
 */
export type Checkpoint = { readonly position: Position; readonly eventId: string | null };

/** Checkpoint of a reader that has examined no event. */
export const BEGINNING: Checkpoint = { position: START, eventId: null };

/** A checkpoint at a position, whichever event is there. */
export function unverified(position: Position): Checkpoint {
  return { position, eventId: null };
}

export type SubscribeOptions = {
  /** Only events after this checkpoint; BEGINNING for all. */
  readonly after: Checkpoint;
  /** Only events of these types; absent for all. */
  readonly types?: readonly string[];
  readonly signal: AbortSignal;
};

/**
 * A batch of a subscription, in log order. `position` and `eventId` belong to the last event that
 * the subscription has examined: the last event of `events`, or a later one of another type.
 * Resuming from there is safe once the batch is processed. `events` may be empty.
 */
export type Batch = {
  readonly events: readonly RecordedEvent[];
  readonly position: Position;
  readonly eventId: string;
};

export type EventHead = Omit<RecordedEvent, "data">;

export type BackwardsOptions = {
  /** The position of an event: only events before it; null for all. */
  readonly before: Position | null;
  /** Most events to return, at least 1. */
  readonly limit: number;
  /** Which events to return; a log may tell it before it fetches their data. */
  readonly wanted: (event: EventHead) => boolean;
};

/** A batch of a read backwards, newest first; `events` may be empty. */
export type BackwardsBatch = {
  readonly events: readonly RecordedEvent[];
  /** Of the oldest event examined: the read goes on before it. Null at the beginning of the log. */
  readonly position: Position | null;
  /** About the size of the data fetched, also of events that are not wanted. */
  readonly bytes: number;
};

export type AppendOptions = {
  /** After this time the append fails, as Ambiguous or Unavailable. */
  readonly timeoutMs?: number;
};

export type EventLog = {
  /**
   * Appends `events` to `stream` atomically if its last revision is `expectedRevision`. Appending
   * the same ids at the same place again gives the first answer.
   * @throws WrongExpectedRevision, TooLarge (over 1 MiB in all), Ambiguous, Unavailable
   */
  append(
    stream: string,
    expectedRevision: number,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<Appended>;

  /** Up to `limit` events of `stream` from revision `from`, ascending; empty without any. */
  read(stream: string, from: number, limit: number): Promise<RecordedEvent[]>;

  /**
   * The log after a checkpoint, without end; returns when `signal` aborts. At its start and after
   * each outage the subscription checks that the checkpoint's event is at its place.
   * @throws LogMismatch when it is not
   */
  subscribe(options: SubscribeOptions): AsyncIterable<Batch>;

  /**
   * One batch of the log backwards. Batches that go on from each other's positions miss nothing: an
   * event that a running transaction holds back is waited for shortly, then left out.
   */
  readBackwards(options: BackwardsOptions): Promise<BackwardsBatch>;

  /**
   * Position of the last event written; START in an empty log. Subscriptions reach it once no
   * earlier event can be committed any more: read up to it, but do not subscribe from it.
   */
  head(): Promise<Position>;

  /** Id of the event at a position; null without one. */
  eventAt(position: Position): Promise<string | null>;

  close(): Promise<void>;
};

/** Limit of an append in bytes, counted by `eventBytes`. */
export const MAX_APPEND_BYTES = 1024 * 1024;

/**
 * Bytes of an event that count towards the limit of an append: data, metadata, and the type in
 * UTF-16, as in EventStoreDB. All adapters count alike, so an append fits all logs or none.
 */
export function eventBytes(type: string, dataBytes: number, metadataBytes: number): number {
  return dataBytes + metadataBytes + 2 * type.length;
}

/**
 * @param sizes bytes of each event of an append
 * @throws TooLarge when their sum exceeds MAX_APPEND_BYTES; RangeError without events
 */
export function requireAppendSize(sizes: readonly number[]): void {
  if (sizes.length === 0) throw new RangeError("an append holds at least one event");
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_APPEND_BYTES) throw new TooLarge(bytes, MAX_APPEND_BYTES);
}

/** An event log with the state that operators watch. */
export type OperatedEventLog = EventLog & {
  /** Kind of the log, and the name of its check in the readiness report. */
  readonly kind: "event_log" | "event_store";
  /** What prevents committed events from being read; null when nothing does. */
  stall(): object | null;
  /** Why this is not the log that the read models were built from; null while it is. */
  mismatch(): Error | null;
  /** A position as a number whose differences can be measured; not for reading. */
  ordinal(position: Position): number;
  /** Null for a log with a single shared connection. */
  readonly connections: (() => PoolUse) | null;
};

/** The stream is no longer at the revision on which the decision was based: decide again. */
export class WrongExpectedRevision extends Error {
  override readonly name = "WrongExpectedRevision";
  readonly stream: string;
  readonly expected: number;
  readonly actual: number;

  constructor(stream: string, expected: number, actual: number) {
    super(`stream ${stream} is at revision ${actual}, not ${expected}`);
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** The append is larger than the log's limit. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
  readonly bytes: number;
  readonly maxBytes: number;

  constructor(bytes: number, maxBytes: number) {
    super(`an append of ${bytes} bytes exceeds ${maxBytes}`);
    this.bytes = bytes;
    this.maxBytes = maxBytes;
  }
}

/** The append may or may not have happened. Repeating it is safe and settles the question. */
export class Ambiguous extends Error {
  override readonly name = "Ambiguous";
}

/** The log cannot be reached, and nothing was written. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** Data built from the log do not match the log. */
export class LogMismatch extends Error {
  override readonly name = "LogMismatch";
}

/** An event of an unknown type or version. Its reader must stop. */
export class UnknownEvent extends Error {
  override readonly name: string = "UnknownEvent";
}

/** The bytes are not a chunk, or a damaged one. */
export class CorruptChunk extends Error {
  override readonly name = "CorruptChunk";

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`the chunk is corrupt: ${reason}`, options);
  }
}

/** A newer version of the service wrote the chunk. */
export class UnknownChunkVersion extends UnknownEvent {
  override readonly name = "UnknownChunkVersion";
  readonly version: number;

  constructor(version: number) {
    super(`unknown chunk format version ${version}`);
    this.version = version;
  }
}

/** The bytes are not a frame of bulletins, or a damaged one. */
export class CorruptFrame extends Error {
  override readonly name = "CorruptFrame";

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`the frame of bulletins is corrupt: ${reason}`, options);
  }
}

/** A newer version of the service wrote the frame. */
export class UnknownFrameVersion extends UnknownEvent {
  override readonly name = "UnknownFrameVersion";
  readonly version: number;

  constructor(version: number) {
    super(`unknown format version ${version} of a frame of bulletins`);
    this.version = version;
  }
}

/** All events after a position that are in the log now, in batches; ends early when `signal` aborts. */
export async function* eventsToHead(
  log: Pick<EventLog, "subscribe" | "head">,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  yield* eventsUpTo(log, after, await log.head(), signal);
}

/** The events after a position up to the one at `head`, in batches; ends early when `signal` aborts. */
export async function* eventsUpTo(
  log: Pick<EventLog, "subscribe">,
  after: Position,
  head: Position,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  if (after >= head) return;
  const reached = new AbortController();
  const ending = AbortSignal.any([signal, reached.signal]);
  try {
    // All types: a subscription is certain to pass `head` only if no type is filtered out.
    const from = { after: unverified(after), signal: ending };
    for await (const { events, ...reached } of log.subscribe(from)) {
      const last = reached.position >= head;
      yield {
        events: last ? events.filter((event) => event.position <= head) : events,
        ...reached,
      };
      if (last) return;
    }
  } finally {
    reached.abort();
  }
}
