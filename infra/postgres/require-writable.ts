import { type CommonQueryMethods, type DatabasePool, sql } from "slonik";
import { z } from "zod";

/** The database answers, and takes no change. */
export class NotWritable extends Error {
  override readonly name = "NotWritable";
}

/** The least that PostgreSQL takes; what a statement holds beyond it goes to the disk. */
const LEAST_MEMORY = "64kB";
/** Some 300 KB: a change of any size needs as much, with its record in the write-ahead log. */
const ROWS = 10_000;

/**
 * Whether changes can be written, found out without one: a read that does not fit into memory needs room
 * on the disk for as long as it lasts, and no transaction id, which would hold up readers of the log.
 * @throws NotWritable for a server that is read-only; what PostgreSQL says when its disk is full
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
