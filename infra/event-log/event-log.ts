/**
 * The event log port: what every adapter (PostgreSQL, EventStoreDB, in memory for tests) offers.
 * Adapters are proved equal by one contract suite, test/contract/event-log.
 */
import type { EventMetadata } from "#contracts/domain-events/metadata.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

/** A place in the whole log: opaque, serialisable, ordered by plain string comparison. */
export type Position = string & { readonly position: unique symbol };

/** Before the first event of the log. */
export const START = "" as Position;

/** The revision of a stream that does not exist; the first event of a stream has revision 0. */
export const NO_STREAM = -1;

/** An event to append. Domain events are JSON, chunks of seismic events are bytes. */
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
  /** When the log took it; ISO 8601 UTC, milliseconds. */
  readonly recordedAt: string;
};

export type Appended = { readonly revision: number; readonly position: Position };

/**
 * How far a reader of the log has come: the position of the last event it has looked at, with the
 * id of that event, by which the reader knows its log again. The id is null at START, and of
 * checkpoints that were written before ids were kept.
 */
export type Checkpoint = { readonly position: Position; readonly eventId: string | null };

/** Of a reader that has looked at nothing. */
export const BEGINNING: Checkpoint = { position: START, eventId: null };

/** A place in the log to begin at, whatever event is there. */
export function unverified(position: Position): Checkpoint {
  return { position, eventId: null };
}

export type SubscribeOptions = {
  /** Only events after this checkpoint; BEGINNING for all. */
  readonly after: Checkpoint;
  /** Only events of these types; all when absent. */
  readonly types?: readonly string[];
  readonly signal: AbortSignal;
};

/**
 * A batch of a subscription, in log order. `position` and `eventId` are those of the last event the
 * subscription has looked at: it may lie behind the last event given when later ones are of other
 * types, never before it, and is safe to resume from once the batch is processed. `events` may be
 * empty.
 */
export type Batch = {
  readonly events: readonly RecordedEvent[];
  readonly position: Position;
  readonly eventId: string;
};

export type AppendOptions = {
  /** Whether it happened is Ambiguous, or the log Unavailable, after it. */
  readonly timeoutMs?: number;
};

export type EventLog = {
  /**
   * Appends `events` to `stream` atomically, when its last revision is `expectedRevision`.
   * Appending the same ids at the same place again answers as the first time.
   * @throws WrongExpectedRevision, TooLarge (over 1 MiB in all), Ambiguous, Unavailable
   */
  append(
    stream: string,
    expectedRevision: number,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<Appended>;

  /** Up to `limit` events of `stream` from revision `from`, ascending; empty when there are none. */
  read(stream: string, from: number, limit: number): Promise<RecordedEvent[]>;

  /**
   * The log from a checkpoint on; never ends by itself, ends quietly when `signal` aborts. Whenever a
   * subscription is begun, also again after an outage, the checkpoint's event has to be where it was.
   * @throws LogMismatch where it is not
   */
  subscribe(options: SubscribeOptions): AsyncIterable<Batch>;

  /**
   * The position of the last event that is written, START when the log is empty. Subscriptions come to
   * it once nothing can be written before it any more: a place to read up to, not to subscribe from.
   */
  head(): Promise<Position>;

  /** The id of the event at a position; null when no event of the log has it. */
  eventAt(position: Position): Promise<string | null>;

  close(): Promise<void>;
};

/** The largest append in bytes, counted as in `eventBytes`. */
export const MAX_APPEND_BYTES = 1024 * 1024;
