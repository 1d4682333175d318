import { readFile } from "node:fs/promises";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { connect } from "node:tls";
import {
  type AppendResult,
  BACKWARDS,
  binaryEvent,
  type Credentials,
  END,
  type EventData,
  EventStoreDBClient,
  excludeSystemEvents,
  START as FIRST,
  FORWARDS,
  START as FROM_START,
  isCommandError,
  jsonEvent,
  type Position as LogPosition,
  MaxAppendSizeExceededError,
  NO_STREAM as NO_STREAM_EXPECTED,
  NotLeaderError,
  type ReadRevision,
  type RecordedEvent as StoredEvent,
  type StreamingRead,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import type { EventMetadata } from "#contracts/events/log.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { type Encryption, readEventStoreServers, type Server } from "../config/servers.ts";
import { createBackoff, createWakeUp, sleep } from "../kernel/waiting.ts";
import { type Log, SILENT } from "../postgres/connection.ts";
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
  START,
  type SubscribeOptions,
  TooLarge,
  Unavailable,
  WrongExpectedRevision,
} from "./event-log.ts";
import { requireSamePlace } from "./known-log.ts";

const SECOND = 1_000;

export type EventStoreDbEventLogOptions = {
  readonly log?: Log;
  /** Longest silence of a read. Default 4 s. */
  readonly readTimeoutMs?: number;
  /** Silence of a subscription after which it is checked. Default 5 s. */
  readonly silenceMs?: number;
};

type EventStoreDbEventLog = EventLog & Pick<OperatedEventLog, "ordinal">;

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
function toEventData(events: readonly NewEvent[]) {
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

/**
 * A connection to EventStoreDB: its calls, their failures, and its events in the port's form.
 */

/** The client, and the arguments of all its calls. */
type Connection = {
  readonly client: EventStoreDBClient;
  /**
   * Also keep appends out of the client's BatchAppend: with its own credentials an append is a
   * separate call, without the table of promises that all clients of a process share.
   */
  readonly credentials: Credentials;
  /**
   * Repeats a call that only the leader answers, until `deadline` (performance.now()), while another
   * server leads or the leader gives up before it has finished.
   * @throws Unavailable once the connection is closed
   */
  onLeader<T>(deadline: number, call: () => Promise<T>): Promise<T>;
  /**
   * Runs a call that finds out whether the servers answer.
   * @throws Unavailable when no server can be reached; its message names a rejected certificate
   */
  reaching<T>(call: () => Promise<T>): Promise<T>;
  readonly closing: AbortSignal;
  close(): Promise<void>;
};

const LEADER_RETRY_MS = 50;
const DISPOSE_MS = 2_000;

/** @throws RangeError for an invalid connection string; the message does not show it */
function openConnection(url: string): Connection {
  const parsed = readEventStoreServers(url);
  if (parsed === null) throw new RangeError("not a connection string of an event store");
  const client = EventStoreDBClient.connectionString(parsed.server);
  const closing = new AbortController();
  let isUsed = false;
  let closed: Promise<void> | null = null;

  async function close(): Promise<void> {
    closing.abort();
    // `dispose` waits for streams to end, and some streams that the server ended never do.
    await Promise.race([client.dispose(), delay(DISPOSE_MS, undefined, { ref: false })]);
    // Asking an unused client for its channel would open one and look for a server.
    if (isUsed) await closeChannel(client);
  }

  return {
    get client() {
      isUsed = true;
      return client;
    },
    credentials: parsed.credentials,
    closing: closing.signal,

    onLeader: (deadline, call) => onLeader(deadline, call, closing.signal),

    async reaching(call) {
      try {
        return await reading(call);
      } catch (error) {
        if (!(error instanceof Unavailable) || parsed.encryption === null) throw error;
        const fault = await certificateFault(parsed.encryption);
        throw fault === null ? error : new Unavailable(fault, { cause: error });
      }
    },

    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

async function onLeader<T>(
  deadline: number,
  call: () => Promise<T>,
  closing: AbortSignal,
): Promise<T> {
  for (;;) {
    if (closing.aborted) throw new Unavailable("the event log is closed");
    try {
      return await calling(call);
    } catch (error) {
      const isToRepeat = isNotLeader(error) || isGivenUp(error);
      if (!isToRepeat || performance.now() > deadline) throw error;
      await delay(LEADER_RETRY_MS);
    }
  }
}

/** `dispose` leaves the channel and its socket open; no public method closes them. */
async function closeChannel(client: EventStoreDBClient): Promise<void> {
  const { getChannel } = client as unknown as { getChannel: () => Promise<{ close(): void }> };
  const channel = await getChannel().catch(() => null);
  channel?.close();
}

const TLS_TIMEOUT_MS = 2_000;

/** OpenSSL's verification codes (Node.js documentation, TLS, "X509 certificate error codes"). */
const FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
  CERT_REVOKED: "was revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "names another host",
  SELF_SIGNED_CERT_IN_CHAIN: "is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "is not trusted",
};

/**
 * The certificate problem that prevents TLS connections to a server; null when certificates are not
 * the reason. The client reports none while it looks for the leader of several servers.
 */
async function certificateFault({ servers, authorityFile }: Encryption): Promise<string | null> {
  const authority = authorityFile === null ? undefined : await readFile(authorityFile);
  const found = await Promise.all(servers.map((server) => faultOf(server, authority)));
  return found.find((fault) => fault !== null) ?? null;
}

function faultOf({ host, port }: Server, ca: Buffer | undefined): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = connect({ host, port, ca, ALPNProtocols: ["h2"], timeout: TLS_TIMEOUT_MS });
  const end = (fault: string | null): void => {
    resolve(fault);
    socket.destroy();
  };
  socket.once("secureConnect", () => end(null));
  socket.once("timeout", () => end(null));
  socket.on("error", (error: NodeJS.ErrnoException) => {
    const fault = FAULTS[error.code ?? ""];
    end(fault === undefined ? null : `the certificate of ${host}:${port} ${fault}`);
  });
  return promise;
}

/** The client's default is unlimited; a page of maximal appends is 100 MiB. */
const STREAM_PAGE_EVENTS = 100;

/** Up to `limit` events from revision `from`; none for a stream that does not exist. */
async function readStream(
  { client, credentials, onLeader }: Connection,
  stream: string,
  from: number,
  limit: number,
  timeoutMs: number,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  const readPage = async (next: number, maxCount: number): Promise<RecordedEvent[]> => {
    const fromRevision: ReadRevision = next === 0 ? FIRST : BigInt(next);
    const options = { fromRevision, maxCount, credentials, requiresLeader: true };
    const page = await onLeader(performance.now() + timeoutMs, () =>
      takeAll(client.readStream(stream, options), timeoutMs),
    );
    return page.flatMap(({ event }) => (event ? [toRecordedEvent(event)] : []));
  };
  try {
    while (events.length < limit) {
      const wanted = Math.min(STREAM_PAGE_EVENTS, limit - events.length);
      const page = await readPage(from + events.length, wanted);
      events.push(...page);
      if (page.length < wanted) break;
    }
    return events;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return [];
    throw error;
  }
}

/**
 * All items of a client read. Such a read has no deadline and could hang for ever, so it is
 * abandoned after a silence of `timeoutMs`.
 * @throws NoAnswer, and the client's errors unchanged
 */
function takeAll<E>(stream: StreamingRead<E>, timeoutMs: number): Promise<E[]> {
  const { promise, resolve, reject } = Promise.withResolvers<E[]>();
  const taken: E[] = [];
  const timer = setTimeout(() => {
    reject(new NoAnswer("a read", timeoutMs));
    void stream.cancel().catch(() => {});
  }, timeoutMs);
  stream.on("data", (item) => {
    taken.push(item);
    timer.refresh();
  });
  stream.on("end", () => resolve(taken));
  // Never removed: the client may emit an error after the end, which would end the process.
  stream.on("error", reject);
  return promise.finally(() => clearTimeout(timer));
}

/** Id of the event at a position, including the server's own events; null without one. */
async function findEventAt(
  { client, credentials, onLeader }: Connection,
  position: Position,
  timeoutMs: number,
): Promise<string | null> {
  const place = fromPosition(position);
  if (place === null) return null;
  const options = {
    direction: FORWARDS,
    fromPosition: place,
    maxCount: 1,
    credentials,
    requiresLeader: true,
  } as const;
  try {
    const [found] = await onLeader(performance.now() + timeoutMs, () =>
      takeAll(client.readAll(options), timeoutMs),
    );
    const event = found?.event;
    return event && toPosition(event.position) === position ? event.id : null;
  } catch (error) {
    if (isInvalidPosition(error)) return null;
    throw error;
  }
}

const FIRST_PAGE_EVENTS = 4;
const MAX_PAGE_EVENTS = 512;

/** Position of the last event that is not the server's own; START without one. */
type FindHead = (timeoutMs: number) => Promise<Position>;

/** Reads the log backwards, past the server's own events, each of which is examined only once. */
function createFindHead({ client, credentials, onLeader }: Connection): FindHead {
  let known: { readonly end: Position; readonly head: Position } = { end: START, head: START };

  function found(end: Position, head: Position): Position {
    if (end > known.end) known = { end, head };
    return head;
  }

  return async (timeoutMs) => {
    const since = known;
    let end: Position | null = null;
    let before: LogPosition | typeof END = END;
    for (let maxCount = FIRST_PAGE_EVENTS; ; maxCount = Math.min(maxCount * 4, MAX_PAGE_EVENTS)) {
      const options = {
        direction: BACKWARDS,
        fromPosition: before,
        maxCount,
        credentials,
      } as const;
      const page = await onLeader(performance.now() + timeoutMs, () =>
        takeAll(client.readAll({ ...options, requiresLeader: true }), timeoutMs),
      );
      let last: Position | null = null;
      for (const { event } of page) {
        if (!event) continue;
        last = toPosition(event.position);
        end ??= last;
        const isOld = last <= since.end;
        if (!isOld && isSystemEvent(event.type)) continue;
        return found(end, isOld ? since.head : last);
      }
      if (last === null || page.length < maxCount) return found(end ?? START, since.head);
      before = fromPosition(last) ?? END;
    }
  };
}

/** The server's own events (statistics, users, stream metadata) have types that begin with `$`. */
function isSystemEvent(type: string): boolean {
  return type.startsWith("$");
}

/** The event in the port's form. Not validated: only this adapter writes to these streams. */
function toRecordedEvent(stored: StoredEvent): RecordedEvent {
  return {
    id: stored.id,
    type: stored.type,
    data: stored.data as JsonObject | Uint8Array,
    metadata: stored.metadata as EventMetadata,
    stream: stored.streamId,
    revision: Number(stored.revision),
    position: toPosition(stored.position),
    recordedAt: stored.created.toISOString(),
  };
}

const FORM = /^[0-9a-f]{32}$/;
const DIGITS = 16;

/** Servers say "none" with the largest 64-bit number. */
const NO_NUMBER = 2n ** 64n - 1n;

/** An event without a place in the whole log: servers before 23.10 omit it when reading a stream. */
class NoPosition extends Error {
  override readonly name = "NoPosition";
}

/**
 * Commit and prepare position as 16 hexadecimal digits each, so that positions compare as text.
 * @throws NoPosition
 */
function toPosition(place: LogPosition | undefined): Position {
  if (place === undefined || place.commit === NO_NUMBER) {
    throw new NoPosition("the event store does not tell where in the log an event is");
  }
  return `${hex(place.commit)}${hex(place.prepare)}` as Position;
}

/** The inverse; START is null. @throws RangeError for any other text */
function fromPosition(position: Position): LogPosition | null {
  if (position === START) return null;
  if (!FORM.test(position)) throw new RangeError(`not a position of this log: ${position}`);
  return {
    commit: BigInt(`0x${position.slice(0, DIGITS)}`),
    prepare: BigInt(`0x${position.slice(DIGITS)}`),
  };
}

/** A byte offset of the log: ascending in the order of writing, with gaps. */
function ordinalOf(position: Position): number {
  return Number(fromPosition(position)?.commit ?? 0n);
}

function hex(value: bigint): string {
  return value.toString(16).padStart(DIGITS, "0");
}

/** Numbers of gRPC statuses, for connection errors, which the client passes on unchanged. */
const STATUS = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  aborted: 10,
  internal: 13,
  unavailable: 14,
} as const;

const CONNECTION_STATUSES: ReadonlySet<unknown> = new Set(Object.values(STATUS));

/** No answer within the adapter's time-out; the client itself has none for such calls. */
class NoAnswer extends Error {
  override readonly name = "NoAnswer";

  constructor(what: string, timeoutMs: number) {
    super(`no answer to ${what} within ${timeoutMs} ms`);
  }
}

/** A failure of the connection or of the server (health, load): the same call may succeed later. */
function isConnectionFailure(error: unknown): boolean {
  if (error instanceof NoAnswer || error instanceof NotLeaderError) return true;
  if (!(error instanceof Error)) return false;
  if (isCommandError(error) || "code" in error) {
    return CONNECTION_STATUSES.has((error as { code?: unknown }).code);
  }
  // Errors of grpc-js on a channel that the client has just closed, and of its failed discovery.
  return /channel has been shut down|failed to discover/i.test(error.message);
}

/** The request never left this process: no connection could be made. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isUnavailable = "code" in error && error.code === STATUS.unavailable;
  return (
    (isUnavailable && /no connection established|name resolution failed/i.test(error.message)) ||
    /failed to discover/i.test(error.message)
  );
}

/** The server refused without any effect because another server leads; the client now asks that one. */
function isNotLeader(error: unknown): boolean {
  return error instanceof NotLeaderError;
}

/**
 * The server timed the call out itself (`Prepare phase timeout`, `Commit phase timeout`), for
 * example when identical appends arrive together. An append may have happened; its event ids make
 * repeating it safe.
 */
function isGivenUp(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === STATUS.aborted;
}

/** The position lies between two events: this log's earlier content differs from the reader's. */
function isInvalidPosition(error: unknown): boolean {
  return error instanceof Error && /invalid.{0,20}position/i.test(error.message);
}

/**
 * Runs a client call. A failure is thrown one turn of the event loop later, because the client
 * closes its failed channel in that turn. A call started before that throws where nothing can catch
 * it, which ends the process.
 */
async function calling<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    await setImmediate();
    throw error;
  }
}

/** @throws Unavailable when the event store cannot be reached */
async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isConnectionFailure(error)) throw error;
    throw new Unavailable("the event store cannot be reached", { cause: error });
  }
}
