import { setImmediate } from "node:timers/promises";
import { isCommandError, NotLeaderError, StreamNotFoundError } from "@eventstore/db-client";
import { Unavailable } from "../errors.ts";

/** Numbers of gRPC statuses, for errors of the connection, which the client lets through as they are. */
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

/** No answer came in the time that the adapter gives; the client has no timer of its own for it. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";

  constructor(what: string, timeoutMs: number) {
    super(`no answer to ${what} within ${timeoutMs} ms`);
  }
}

/** The connection, the server's health or its load: the same again may succeed. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof NoAnswer || error instanceof NotLeaderError) return true;
  if (!(error instanceof Error)) return false;
  if (isCommandError(error) || "code" in error) {
    return CONNECTION_STATUSES.has((error as { code?: unknown }).code);
  }
  // What grpc-js throws of a channel that the client has just closed, and its failed discovery.
  return /channel has been shut down|failed to discover/i.test(error.message);
}

/** Nothing has left this process: no connection could be made. */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isUnavailable = "code" in error && error.code === STATUS.unavailable;
  return (
    (isUnavailable && /no connection established|name resolution failed/i.test(error.message)) ||
    /failed to discover/i.test(error.message)
  );
}

/** The server refused, without doing anything, because another one leads; the client now asks that one. */
export function isNotLeader(error: unknown): boolean {
  return error instanceof NotLeaderError;
}

/**
 * The server gave the call up: its own time was over (`Prepare phase timeout`, `Commit phase timeout`),
 * as befalls identical appends that come at once. An append may have happened; the ids of its events
 * make it safe to repeat.
 */
export function isGivenUp(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === STATUS.aborted;
}

export function isNoStream(error: unknown): boolean {
  return error instanceof StreamNotFoundError;
}

/** A position between two events, which a log has that was written otherwise up to there. */
export function isInvalidPosition(error: unknown): boolean {
  return error instanceof Error && /invalid.{0,20}position/i.test(error.message);
}

/**
 * Runs a call of the client. A failure is thrown on a turn of the loop later: the client closes its
 * failed channel just then, and a call that is begun before it has done so throws in a place where
 * nothing catches it, which ends the process.
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
