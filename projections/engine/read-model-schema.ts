import { escapeIdentifier, type Pool, type PoolClient } from "pg";
import { inTransaction } from "#infra/postgres/in-transaction.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { Transaction } from "./projection.ts";

/** The schema of the live read models. A rebuild fills tables with the same names in another schema. */
export const LIVE_SCHEMA = "read_model";

/**
 * Runs `work` in a transaction that finds tables of read models, checkpoints and parked events in
 * `schema`. Projections use bare table names, so they can fill any schema.
 */
export function inReadModel<T>(
  pool: Pool,
  schema: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const tables = `set local search_path to ${escapeIdentifier(schema)}, public`;
  // Tables without readers may lose their latest commits in a crash, but only those.
  const commits = schema === LIVE_SCHEMA ? [] : ["set local synchronous_commit to off"];
  const onClient = (client: PoolClient) => work({ ...statementsOn(client), client });
  return inTransaction(pool, onClient, [tables, ...commits]);
}
