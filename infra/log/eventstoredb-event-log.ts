import { setImmediate } from "node:timers/promises";
import {
  type AppendResult,
  BACKWARDS,
  binaryEvent,
  END,
  type EventData,
  excludeSystemEvents,
  START as FROM_START,
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM as NO_STREAM_EXPECTED,
  type RecordedEvent as StoredEvent,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { createBackoff, createWakeUp, sleep } from "#infra/kernel/waiting.ts";
import { type Log, SILENT } from "#infra/postgres/connection.ts";
import {
  Ambiguous,
  type BackwardsBatch,
  type BackwardsOptions,
  type Batch,
  type Checkpoint,
  type EventLog,
  eventBytes,
  LogMismatch,
  type NewEvent,
  NO_STREAM,
  type OperatedEventLog,
  type Position,
  type RecordedEvent,
  requireAppendSize,
  type SubscribeOptions,
  TooLarge,
  Unavailable,
  WrongExpectedRevision,
} from "./event-log.ts";
import {
  type Connection,
  createFindHead,
  type FindHead,
  findEventAt,
  fromPosition,
  isConnectionFailure,
  isNotLeader,
  isSystemEvent,
  isUnsent,
  NoAnswer,
  openConnection,
  ordinalOf,
  reading,
  readStream,
  takeAll,
  toPosition,
  toRecordedEvent,
} from "./eventstoredb-connection.ts";
import { requireSamePlace } from "./known-log.ts";

const SECOND = 1_000;

export type EventStoreDbEventLogOptions = {
  readonly log?: Log;
  /** Longest silence of a read. Default 4 s. */
  readonly readTimeoutMs?: number;
  /** Silence of a subscription after which it is checked. Default 5 s. */
  readonly silenceMs?: number;
};

export type EventStoreDbEventLog = EventLog & Pick<OperatedEventLog, "ordinal">;

/**
 * The event log in an EventStoreDB or KurrentDB server. Connects at the first call.
 * @param url the client's connection string, esdb://…
 * @throws RangeError for an invalid one
 */
export function createEventStoreDbEventLog(
  url: string,
  options: EventStoreDbEventLogOptions = {},
): EventStoreDbEventLog {
  const { log = SILENT, readTimeoutMs = 4 * SECOND, silenceMs = 5 * SECOND } = options;
  const connection = openConnection(url);
  const findHead = createFindHead(connection);

  /** @throws Ambiguous when the event cannot be read; repeating the append settles it */
  const positionAt = async (stream: string, revision: number): Promise<Position> => {
    try {
      const [event] = await readStream(connection, stream, revision, 1, readTimeoutMs);
      if (event?.revision === revision) return event.position;
    } catch (cause) {
      throw new Ambiguous("the append has happened, its position cannot be read", { cause });
    }
    throw new Ambiguous(`the append has happened, revision ${revision} of ${stream} is not there`);
  };

  const eventAt = (position: Position) =>
    reading(() => findEventAt(connection, position, readTimeoutMs));

  return {
    async append(stream, expectedRevision, events, { timeoutMs = 10 * SECOND } = {}) {
      const append = { stream, expectedRevision, ...toEventData(events) };
      const { nextExpectedRevision, position } = await appendWithin(connection, append, timeoutMs);
      const revision = Number(nextExpectedRevision);
      // A server may answer a repeated append without a position.
      if (position !== undefined) return { revision, position: toPosition(position) };
      return { revision, position: await positionAt(stream, revision) };
    },

    read: (stream, from, limit) =>
      reading(() => readStream(connection, stream, from, limit, readTimeoutMs)),

    readBackwards: (options) => reading(() => readBackwards(connection, options, readTimeoutMs)),

    subscribe: (request) =>
      subscription(
        { connection, findHead, eventAt, log, silenceMs },
        { ...request, signal: AbortSignal.any([request.signal, connection.closing]) },
      ),

    head: () => connection.reaching(() => findHead(readTimeoutMs)),
    eventAt,

    ordinal: ordinalOf,
    close: connection.close,
  };
}

/**
 * Events in the client's form, chunks as binary and domain events as JSON; `bytes` is their total
 * size.
 * @throws TooLarge when it exceeds MAX_APPEND_BYTES; RangeError without events
 */
function toEventData(events: readonly NewEvent[]): {
  readonly data: EventData[];
  readonly bytes: number;
} {
  const sizes = events.map(sizeOf);
  requireAppendSize(sizes);
  const data = events.map(({ id, type, data, metadata }) =>
    data instanceof Uint8Array
      ? binaryEvent({ id, type, data, metadata })
      : jsonEvent({ id, type, data, metadata }),
  );
  return { data, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function sizeOf({ type, data, metadata }: NewEvent): number {
  const dataBytes =
    data instanceof Uint8Array ? data.byteLength : Buffer.byteLength(JSON.stringify(data));
  return eventBytes(type, dataBytes, Buffer.byteLength(JSON.stringify(metadata)));
}

/** Chunks included, a page stays within some MiB: the server sends every event with its data. */
const PAGE_EVENTS = 50;

/** The events before a position, newest first, without the server's own; those count as examined. */
async function readBackwards(
  { client, credentials, onLeader }: Connection,
  { before, limit, wanted }: BackwardsOptions,
  timeoutMs: number,
): Promise<BackwardsBatch> {
  const options = {
    direction: BACKWARDS,
    fromPosition: (before !== null && fromPosition(before)) || END,
    maxCount: PAGE_EVENTS,
    credentials,
    requiresLeader: true,
  } as const;
  const page = await onLeader(performance.now() + timeoutMs, () =>
    takeAll(client.readAll(options), timeoutMs),
  );
  const events: RecordedEvent[] = [];
  let position = before;
  let bytes = 0;
  for (const { event: stored } of page) {
    if (!stored) continue;
    position = toPosition(stored.position);
    if (isSystemEvent(stored.type)) continue;
    const event = toRecordedEvent(stored);
    if (event.data instanceof Uint8Array) bytes += event.data.byteLength;
    if (!wanted(event)) continue;
    events.push(event);
    if (events.length === limit) return { events, position, bytes };
  }
  return { events, position: page.length < PAGE_EVENTS ? null : position, bytes };
}

type Append = {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly data: EventData[];
  /** Bytes of the events that count towards the limit. */
  readonly bytes: number;
};

/**
 * Appends after `expectedRevision`, or finds that exactly these events are there already: the server
 * compares ids when the expected revision is not the last.
 * @throws WrongExpectedRevision, TooLarge, Ambiguous, Unavailable
 */
async function appendWithin(
  { client, credentials, onLeader }: Connection,
  append: Append,
  timeoutMs: number,
): Promise<AppendResult> {
  const { stream, expectedRevision, data } = append;
  const options = {
    expectedRevision:
      expectedRevision === NO_STREAM ? NO_STREAM_EXPECTED : BigInt(expectedRevision),
    credentials,
    requiresLeader: true,
    deadline: timeoutMs,
  } as const;
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  // The call's deadline covers neither the search for a server nor an answer without a result.
  const timer = setTimeout(() => reject(new NoAnswer("an append", timeoutMs)), timeoutMs);
  try {
    const appending = onLeader(performance.now() + timeoutMs, () =>
      client.appendToStream(stream, data, options),
    );
    return await Promise.race([appending, timedOut]);
  } catch (error) {
    throw appendFailure(error, append);
  } finally {
    clearTimeout(timer);
  }
}

/** A failure after which the append may have happened is Ambiguous. */
function appendFailure(error: unknown, { stream, expectedRevision, bytes }: Append): unknown {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    const actual = typeof actualVersion === "bigint" ? Number(actualVersion) : NO_STREAM;
    return new WrongExpectedRevision(stream, expectedRevision, actual);
  }
  if (error instanceof MaxAppendSizeExceededError) {
    return new TooLarge(bytes, error.maxAppendSize);
  }
  if (error instanceof Unavailable) return error;
  if (isNotLeader(error) || isUnsent(error)) {
    return new Unavailable("the event store cannot be reached", { cause: error });
  }
  if (!isConnectionFailure(error)) return error;
  return new Ambiguous("the append may or may not have happened", { cause: error });
}

type SubscriptionDependencies = {
  readonly connection: Connection;
  readonly findHead: FindHead;
  readonly eventAt: EventLog["eventAt"];
  readonly log: Log;
  /** Silence after which a check looks for missed events. */
  readonly silenceMs: number;
};

/** The subscription was silent although the log grew. */
class SubscriptionSilent extends Error {
  override readonly name = "SubscriptionSilent";
}

/**
 * The batches after a position, without end. A client subscription ends on any fault, with or
 * without an error, and some just fall silent; another one then continues after the last batch.
 */
async function* subscription(
  deps: SubscriptionDependencies,
  { after, types, signal }: SubscribeOptions,
): AsyncGenerator<Batch, void, void> {
  let reached: Checkpoint = after;
  const backoff = createBackoff();
  while (!signal.aborted) {
    try {
      for await (const batch of batches(deps, {
        after: reached,
        signal,
        ...(types && { types }),
      })) {
        reached = { position: batch.position, eventId: batch.eventId };
        backoff.reset();
        yield batch;
      }
      if (!signal.aborted) deps.log.info(reached, "subscription has ended, begun again");
    } catch (error) {
      if (error instanceof LogMismatch) throw error;
      if (!signal.aborted) {
        deps.log.warn({ err: error, ...reached }, "subscription is interrupted, begun again");
      }
    }
    if (!signal.aborted) await sleep(backoff.next(), signal);
  }
}

async function* batches(
  { connection, findHead, eventAt, silenceMs }: SubscriptionDependencies,
  { after, types, signal }: SubscribeOptions,
): AsyncGenerator<Batch, void, void> {
  await requireSamePlace({ eventAt }, after);
  let { position } = after;
  const feed = openFeed(connection, position);
  const batchOf = createBatchMaker(position, types);
  let missed: Position | null = null;
  try {
    while (!signal.aborted) {
      const state = await feed.wait(silenceMs, signal);
      if (signal.aborted || state === "end") return;
      if (state === "something") {
        // Lets events that arrived at the same time join the batch: they are emitted one by one.
        await setImmediate();
        const batch = batchOf(feed.take());
        missed = null;
        if (batch === null) continue;
        position = batch.position;
        yield batch;
      } else if (missed === null) {
        const head = await findHead(silenceMs);
        if (head > position) missed = head;
      } else {
        throw new SubscriptionSilent(`nothing has come since ${position}, the log is at ${missed}`);
      }
    }
  } finally {
    feed.close();
  }
}

/** Makes batches of received events, filtered by type; null when none advances the subscriber. */
function createBatchMaker(after: Position, types: readonly string[] | undefined) {
  const wanted = types && new Set(types);
  let position = after;

  return (sent: readonly RecordedEvent[]): Batch | null => {
    // Skips events returned before: some servers send the event at the start position again.
    const fresh = sent.filter((event) => event.position > position);
    const last = fresh.at(-1);
    if (last === undefined) return null;
    position = last.position;
    const events = fresh.filter(({ type }) => !wanted || wanted.has(type));
    return { events, position, eventId: last.id };
  };
}

/**
 * One subscription of the client until it breaks, with its events in order.
 *
 * Subscribes to the events after a position, without the server's own. Types are filtered by the
 * subscriber: on a filtered subscription the server reports its progress only now and then, and a
 * writer that waits for its own position would wait for that report. Progress among the server's own
 * events is not requested either, since a checkpoint must be the place of an event that can be found
 * again.
 */
function openFeed({ client, credentials }: Connection, after: Position) {
  const queue = createSentQueue();
  const subscription = client.subscribeToAll({
    fromPosition: fromPosition(after) ?? FROM_START,
    credentials,
    filter: excludeSystemEvents(),
  });

  function fill(): void {
    while (!queue.isFull()) {
      const resolved = subscription.read();
      if (resolved === null) return;
      if (resolved.event) put(resolved.event);
    }
  }

  /** An unreadable event ends the feed; an error thrown here would end the process. */
  function put(event: StoredEvent): void {
    try {
      queue.put(toRecordedEvent(event));
    } catch (error) {
      queue.end(error);
    }
  }

  subscription.on("readable", fill);
  subscription.on("end", () => queue.end());
  subscription.on("close", () => queue.end());
  // Never removed: the client may emit an error after the end, which would end the process.
  subscription.on("error", (error) => queue.end(error));

  return {
    wait: queue.wait,
    take(): RecordedEvent[] {
      const taken = queue.take();
      fill();
      return taken;
    },
    close(): void {
      subscription.destroy();
      void subscription.unsubscribe().catch(() => {});
    },
  };
}

/** About one batch; the rest stays at the server. */
const MAX_ITEMS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

/** Received events that were not taken yet, in order of arrival. */
function createSentQueue() {
  let items: RecordedEvent[] = [];
  let bytes = 0;
  let ended: { readonly error: unknown } | null = null;
  const news = createWakeUp();

  return {
    put(event: RecordedEvent): void {
      items.push(event);
      if (event.data instanceof Uint8Array) bytes += event.data.length;
      news.wake();
    },
    /** Removes and returns all events. */
    take(): RecordedEvent[] {
      const taken = items;
      items = [];
      bytes = 0;
      return taken;
    },
    /** Marks the end, normal or with an error. */
    end(error?: unknown): void {
      ended ??= { error };
      news.wake();
    },
    /**
     * Resolves when there are events or an end, after `ms`, or when `signal` aborts.
     * @throws the error of the end, once all events are taken
     */
    async wait(ms: number, signal: AbortSignal): Promise<"something" | "end" | "nothing"> {
      if (items.length === 0 && ended === null) await news.wait(news.version(), ms, signal);
      if (items.length > 0) return "something";
      if (ended === null) return "nothing";
      if (ended.error !== undefined) throw ended.error;
      return "end";
    },
    isFull: () => items.length >= MAX_ITEMS || bytes >= MAX_BYTES,
  };
}
