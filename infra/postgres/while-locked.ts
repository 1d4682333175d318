import { setTimeout as delay } from "node:timers/promises";
import { type CommonQueryMethods, type DatabasePool, sql } from "slonik";
import { z } from "zod";

const Locked = z.object({ locked: z.boolean() });
/** Between two tries for the lock. */
const RETRY_MS = 50;

/**
 * Runs `work` while no other caller has the advisory lock, at whatever gateway.
 *
 * The lock belongs to the session, not to a transaction, because the log uses its own connections
 * for appends. Nobody waits for it with a connection in hand: the one who has it needs further connections.
 * @param key a number of 64 bits, fixed and unique among the service's advisory locks
 */
export async function whileLocked<T>(
  pool: DatabasePool,
  key: string,
  work: (connection: CommonQueryMethods) => Promise<T>,
): Promise<T> {
  for (;;) {
    const done = await pool.connect(async (connection) => {
      const { locked } = await connection.one(
        sql.type(Locked)`select pg_try_advisory_lock(${key}::bigint) as locked`,
      );
      if (!locked) return null;
      try {
        return { value: await work(connection) };
      } finally {
        await connection.query(sql.unsafe`select pg_advisory_unlock(${key}::bigint)`);
      }
    });
    if (done !== null) return done.value;
    await delay(RETRY_MS);
  }
}
