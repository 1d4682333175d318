import type { Pool, PoolClient } from "pg";

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it throws.
 * @param settings statements that are sent together with its beginning
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  settings: readonly string[] = [],
): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks between two statements says so by an event, which unheard would end
  // the process; the next statement then fails.
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
    // A connection that cannot even roll back is not given back to the pool.
    await client.query("rollback").catch(onError);
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}
