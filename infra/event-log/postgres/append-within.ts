import type { DatabasePool, DatabasePoolConnection } from "slonik";
import { isRefusedByServer, isTransient, isUnreachable } from "#infra/postgres/failures.ts";
import { Ambiguous, Unavailable } from "../errors.ts";

/**
 * Runs an append on a pooled connection and gives up on it after `timeoutMs`. What is known then
 * decides the error: before anything was sent the log is Unavailable, afterwards the outcome is
 * Ambiguous.
 */
export async function appendWithin<T>(
  pool: DatabasePool,
  timeoutMs: number,
  append: (connection: DatabasePoolConnection) => Promise<T>,
): Promise<T> {
  const timeout = new Error(`no answer to an append within ${timeoutMs} ms`);
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(timeout), timeoutMs);
  let sent = false;
  let expired = false;
  try {
    const appending = pool.connect(async (connection) => {
      if (expired) throw timeout;
      sent = true;
      // Throwing inside the handler lets slonik close the connection, and with it the statement.
      return await Promise.race([append(connection), timedOut]);
    });
    return await Promise.race([appending, timedOut]);
  } catch (error) {
    throw appendFailure(error, sent, error === timeout);
  } finally {
    expired = true;
    clearTimeout(timer);
  }
}

function appendFailure(error: unknown, sent: boolean, timedOut: boolean): unknown {
  if (!timedOut && !isTransient(error)) return error;
  if (!sent || isUnreachable(error) || isRefusedByServer(error)) {
    return new Unavailable("the event log cannot be reached", { cause: error });
  }
  return new Ambiguous("the append may or may not have happened", { cause: error });
}
