/** What failures of the database mean, and what is done about them. */

import { DatabaseError } from "pg";
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  type CommonQueryMethods,
  ConnectionError,
  type DatabasePool,
  IdleTransactionTimeoutError,
  StatementCancelledError,
  StatementTimeoutError,
  sql,
  UnexpectedStateError,
} from "slonik";
import { z } from "zod";
import { createBackoff, sleep } from "../kernel/waiting.ts";
import { type Log, NoPrimary } from "./connection.ts";
import { StillLocked } from "./statements.ts";

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

/** On a busy machine, or beside a server that is starting itself, a connection takes its time. */
const PATIENCE_MS = 60_000;

/**
 * Repeats a step of a start until the database answers, for a minute.
 * @throws the last error; at once one that no wait heals: a wrong password, a full disk, a standby
 */
export async function untilReached<T>(
  step: () => Promise<T>,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<T> {
  const endsAt = performance.now() + PATIENCE_MS;
  const backoff = createBackoff({ capMs: 2_000 });
  for (;;) {
    try {
      return await step();
    } catch (error) {
      const heals = isTransient(error) && !isDiskFull(error) && !(error instanceof NoPrimary);
      if (!heals || signal.aborted || performance.now() > endsAt) throw error;
      log.warn({ err: error }, "the database does not answer yet: it is tried again");
      await sleep(backoff.next(), signal);
    }
  }
}

/** The database answers but accepts no changes. */
export class NotWritable extends Error {
  override readonly name = "NotWritable";
}

/** PostgreSQL's minimum; a statement that needs more writes to disk. */
const LEAST_MEMORY = "64kB";
/** Some 300 KB: any change needs as much, including its record in the write-ahead log. */
const ROWS = 10_000;

/**
 * Tests whether changes can be written, without writing one: a read that exceeds memory needs disk
 * space while it runs, and no transaction id, which would delay readers of the log.
 * @throws NotWritable for a read-only server; PostgreSQL's error when its disk is full
 */
export async function requireWritable(pool: DatabasePool): Promise<void> {
  await pool.transaction(async (transaction) => {
    if (await isReadOnly(transaction)) throw new NotWritable("the database is read-only");
    await transaction.query(sql.unsafe`select count(*) from generate_series(1, ${ROWS})`);
  });
}

async function isReadOnly(transaction: CommonQueryMethods): Promise<boolean> {
  const { setting } = await transaction.one(sql.type(z.object({ setting: z.string() }))`
    select current_setting('transaction_read_only') as setting,
      set_config('work_mem', ${LEAST_MEMORY}, true)`);
  return setting === "on";
}
