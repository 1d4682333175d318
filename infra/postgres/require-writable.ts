import { type CommonQueryMethods, type DatabasePool, sql } from "slonik";
import { z } from "zod";

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
