import { DatabaseError } from "pg";
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  IdleTransactionTimeoutError,
  StatementCancelledError,
  StatementTimeoutError,
  UnexpectedStateError,
} from "slonik";
import { NoPrimary } from "./primary-client.ts";
import { StillLocked } from "./while-locked.ts";

/**
 * SQLSTATE classes of temporary failures: 08 connection, 40 rollback, 53 resources, 57 operator
 * intervention, 25006, a server that is read-only during a fail-over, and 55000, a database that an
 * operator has closed to new connections.
 */
const TRANSIENT_STATE = /^(?:08|40|53|57|25006|55000)/;

const SOCKET_CODE = /^(?:E(?:CONN|PIPE|TIMEDOUT|HOST|NET|AI_)|ENOTFOUND)/;

/** pg reports a lost socket only by its message. */
const LOST_SOCKET = /connection terminated|not queryable|timeout expired|timeout exceeded/i;

const TRANSIENT_CLASSES = [
  NoPrimary,
  StillLocked,
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  IdleTransactionTimeoutError,
  StatementCancelledError,
  StatementTimeoutError,
];

/** No connection was made, so nothing was sent: refused, timed out, or the pool is closed. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof UnexpectedStateError;
}

/** The server refused before doing anything: full, shutting down, read-only. */
export function isRefusedByServer(error: unknown): boolean {
  return error instanceof DatabaseError && /^(?:53|25006)/.test(error.code ?? "");
}

/** The same statement may succeed a moment later: the database or the connection failed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isUnreachable(error) || TRANSIENT_CLASSES.some((type) => error instanceof type)) return true;
  if (error instanceof DatabaseError) return TRANSIENT_STATE.test(error.code ?? "");
  if (error instanceof AggregateError) return error.errors.some(isTransient);
  const code = "code" in error ? String(error.code) : "";
  return SOCKET_CODE.test(code) || LOST_SOCKET.test(error.message);
}

const QUERY_CANCELED = "57014";

/** A statement was ended, by its own time-out or by an operator: it may never have time enough. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === QUERY_CANCELED;
}

/** Disk or quota full: SQLSTATE of PostgreSQL, codes of Node. */
const FULL_CODES = new Set(["53100", "ENOSPC", "EDQUOT"]);

/** The same in the output of PostgreSQL's programs and its log, in English. */
const FULL_WORDS = /no space left on device|disk quota exceeded/i;

/** A disk is full: the database's or ours. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && FULL_CODES.has(String(error.code))) return true;
  if (FULL_WORDS.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isDiskFull)) return true;
  return isDiskFull(error.cause);
}
