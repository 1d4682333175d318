import type { Pool, PoolClient } from "pg";

/**
 * Runs `work` in a transaction, which is committed when it resolves and rolled back when it throws.
 * @param settings statements sent together with the transaction's start
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  settings: readonly string[] = [],
): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks between two statements emits an event, which without a listener would
  // end the process. The next statement then fails.
  let broken = false;
  const onError = (): void => {
    broken = true;
  };
  client.on("error", onError);
  try {
    await client.query(["begin", ...settings].join("; "));
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    // A connection that cannot even roll back does not return to the pool.
    await client.query("rollback").catch(onError);
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}
