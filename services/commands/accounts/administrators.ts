import { type CommonQueryMethods, sql } from "slonik";
import { listActiveAdministratorIds } from "#projections/queries/user-queries.ts";
import { isActiveAdministrator } from "#services/domain/account/state.ts";
import type { CommandContext } from "../context.ts";
import { loadAccount } from "./account-decision.ts";

/** Any fixed number, one of its own among the service's advisory locks. */
const LOCK_KEY = "2854901137640225";

/**
 * Runs `work` while nobody else can demote or deactivate an administrator, telling it whether there
 * is an active one besides `userId`: of two administrators who demote each other, one goes second.
 *
 * The lock is the session's, not a transaction's: the log writes on connections of its own.
 */
export async function whileAdministratorsStay<T>(
  context: Pick<CommandContext, "log" | "pool">,
  userId: string,
  work: (otherActiveAdministrator: boolean) => Promise<T>,
): Promise<T> {
  return context.pool.connect(async (connection) => {
    await connection.query(sql.unsafe`select pg_advisory_lock(${LOCK_KEY}::bigint)`);
    try {
      return await work(await hasOtherActiveAdministrator(context, connection, userId));
    } finally {
      await connection.query(sql.unsafe`select pg_advisory_unlock(${LOCK_KEY}::bigint)`);
    }
  });
}

/**
 * The read model names the candidates and may lag; the log decides. A candidate found there stays
 * one under the lock. A promotion that is not yet visible counts as not yet made.
 */
async function hasOtherActiveAdministrator(
  context: Pick<CommandContext, "log">,
  connection: CommonQueryMethods,
  userId: string,
): Promise<boolean> {
  for (const candidate of await listActiveAdministratorIds(connection)) {
    if (candidate === userId) continue;
    if (isActiveAdministrator(await loadAccount(context, candidate))) return true;
  }
  return false;
}
