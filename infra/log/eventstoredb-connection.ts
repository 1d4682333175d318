/**
 * A connection to EventStoreDB: its calls, their failures, and its events in the port's form.
 */

import { readFile } from "node:fs/promises";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { connect } from "node:tls";
import {
  BACKWARDS,
  type Credentials,
  END,
  EventStoreDBClient,
  START as FIRST,
  FORWARDS,
  isCommandError,
  type Position as LogPosition,
  NotLeaderError,
  type ReadRevision,
  type RecordedEvent as StoredEvent,
  type StreamingRead,
  StreamNotFoundError,
} from "@eventstore/db-client";
import type { EventMetadata } from "#contracts/events/log.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { type Encryption, readEventStoreServers, type Server } from "../config/servers.ts";
import { type Position, type RecordedEvent, START, Unavailable } from "./event-log.ts";

/** The client, and the arguments of all its calls. */
export type Connection = {
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
export function openConnection(url: string): Connection {
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
const PAGE_EVENTS = 100;

/** Up to `limit` events from revision `from`; none for a stream that does not exist. */
export async function readStream(
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
      const wanted = Math.min(PAGE_EVENTS, limit - events.length);
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
export function takeAll<E>(stream: StreamingRead<E>, timeoutMs: number): Promise<E[]> {
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
export async function findEventAt(
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
export type FindHead = (timeoutMs: number) => Promise<Position>;

/** Reads the log backwards, past the server's own events, each of which is examined only once. */
export function createFindHead({ client, credentials, onLeader }: Connection): FindHead {
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
export function isSystemEvent(type: string): boolean {
  return type.startsWith("$");
}

/** The event in the port's form. Not validated: only this adapter writes to these streams. */
export function toRecordedEvent(stored: StoredEvent): RecordedEvent {
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
export function toPosition(place: LogPosition | undefined): Position {
  if (place === undefined || place.commit === NO_NUMBER) {
    throw new NoPosition("the event store does not tell where in the log an event is");
  }
  return `${hex(place.commit)}${hex(place.prepare)}` as Position;
}

/** The inverse; START is null. @throws RangeError for any other text */
export function fromPosition(position: Position): LogPosition | null {
  if (position === START) return null;
  if (!FORM.test(position)) throw new RangeError(`not a position of this log: ${position}`);
  return {
    commit: BigInt(`0x${position.slice(0, DIGITS)}`),
    prepare: BigInt(`0x${position.slice(DIGITS)}`),
  };
}

/** A byte offset of the log: ascending in the order of writing, with gaps. */
export function ordinalOf(position: Position): number {
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
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";

  constructor(what: string, timeoutMs: number) {
    super(`no answer to ${what} within ${timeoutMs} ms`);
  }
}

/** A failure of the connection or of the server (health, load): the same call may succeed later. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof NoAnswer || error instanceof NotLeaderError) return true;
  if (!(error instanceof Error)) return false;
  if (isCommandError(error) || "code" in error) {
    return CONNECTION_STATUSES.has((error as { code?: unknown }).code);
  }
  // Errors of grpc-js on a channel that the client has just closed, and of its failed discovery.
  return /channel has been shut down|failed to discover/i.test(error.message);
}

/** The request never left this process: no connection could be made. */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isUnavailable = "code" in error && error.code === STATUS.unavailable;
  return (
    (isUnavailable && /no connection established|name resolution failed/i.test(error.message)) ||
    /failed to discover/i.test(error.message)
  );
}

/** The server refused without any effect because another server leads; the client now asks that one. */
export function isNotLeader(error: unknown): boolean {
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
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isConnectionFailure(error)) throw error;
    throw new Unavailable("the event store cannot be reached", { cause: error });
  }
}
