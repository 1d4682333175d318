import { setTimeout as delay } from "node:timers/promises";
import { type CommonQueryMethods, type DatabasePool, sql } from "slonik";
import { z } from "zod";

const Locked = z.object({ locked: z.boolean() });
/** Between two tries for the lock. */
const RETRY_MS = 50;
/** Longest wait: work that waits for a frozen log takes 5 s, and a request is answered within 10 s. */
const LONGEST_WAIT_MS = 2_000;

/** Others have had the lock for longer than a request may wait; nothing was done. */
export class StillLocked extends Error {
  override readonly name = "StillLocked";
}

/**
 * Runs `work` while no other caller has the advisory lock, at whatever gateway.
 *
 * The lock belongs to the session, not to a transaction, because the log uses its own connections
 * for appends. Nobody waits for it with a connection in hand: the one who has it needs further connections.
 * @param key a number of 64 bits, fixed and unique among the service's advisory locks
 * @throws StillLocked after 2 s; errors of `work`
 */
export async function whileLocked<T>(
  pool: DatabasePool,
  key: string,
  work: (connection: CommonQueryMethods) => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + LONGEST_WAIT_MS;
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
    if (performance.now() > endsAt) throw new StillLocked("others are at work under the same lock");
    await delay(RETRY_MS);
  }
}
