import { setImmediate } from "node:timers/promises";
import { isCommandError, NotLeaderError, StreamNotFoundError } from "@eventstore/db-client";
import { Unavailable } from "../errors.ts";

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
export function isGivenUp(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === STATUS.aborted;
}

export function isNoStream(error: unknown): boolean {
  return error instanceof StreamNotFoundError;
}

/** The position lies between two events: this log's earlier content differs from the reader's. */
export function isInvalidPosition(error: unknown): boolean {
  return error instanceof Error && /invalid.{0,20}position/i.test(error.message);
}

/**
 * Runs a client call. A failure is thrown one turn of the event loop later, because the client
 * closes its failed channel in that turn. A call started before that throws where nothing can catch
 * it, which ends the process.
 */
export async function calling<T>(call: () => Promise<T>): Promise<T> {
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
