import type { Pool, PoolClient } from "pg";
import { isRefusedByServer, isTransient, isUnreachable } from "#infra/postgres/failures.ts";
import { Ambiguous, Unavailable } from "../errors.ts";

/**
 * Runs an append within `timeoutMs`: Unavailable before anything was sent, Ambiguous afterwards.
 */
export async function appendWithin<T>(
  pool: Pool,
  timeoutMs: number,
  append: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    reject(new Error(`no answer to an append within ${timeoutMs} ms`));
  }, timeoutMs);
  let client: PoolClient | null = null;
  try {
    const connecting = pool.connect();
    // A connection that comes too late goes back unused.
    connecting.then(
      (late) => expired && client === null && late.release(),
      () => undefined,
    );
    client = await Promise.race([connecting, timedOut]);
    return await Promise.race([append(client), timedOut]);
  } catch (error) {
    throw appendFailure(error, client !== null, expired);
  } finally {
    clearTimeout(timer);
    // Closing the connection also ends an expired statement.
    client?.release(expired);
  }
}

function appendFailure(error: unknown, sent: boolean, timedOut: boolean): unknown {
  if (!timedOut && !isTransient(error)) return error;
  if (!sent || isUnreachable(error) || isRefusedByServer(error)) {
    return new Unavailable("the event log cannot be reached", { cause: error });
  }
  return new Ambiguous("the append may or may not have happened", { cause: error });
}
