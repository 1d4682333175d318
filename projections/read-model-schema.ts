import { escapeIdentifier, type Pool, type PoolClient } from "pg";
import { statementsOn } from "#infra/postgres/statements.ts";
import { inTransaction } from "#infra/postgres/transaction.ts";
import type { Transaction } from "./projection.ts";

/** The schema of the read models that are served. A rebuild fills tables of the same names in another. */
export const LIVE_SCHEMA = "read_model";

/**
 * Runs `work` in one transaction that finds tables of read models, checkpoints and parked events in
 * `schema`: projections write to them by their bare names, so that they can be filled anywhere.
 */
export function inReadModel<T>(
  pool: Pool,
  schema: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const tables = `set local search_path to ${escapeIdentifier(schema)}, public`;
  // What is not served may be lost in a crash, as long as it is lost from the end.
  const commits = schema === LIVE_SCHEMA ? [] : ["set local synchronous_commit to off"];
  const onClient = (client: PoolClient) => work({ ...statementsOn(client), client });
  return inTransaction(pool, onClient, [tables, ...commits]);
}
