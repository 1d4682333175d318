import type { CommonQueryMethods } from "slonik";
import { whileLocked } from "#infra/postgres/statements.ts";
import { listActiveAdministratorIds } from "#projections/read/accounts.ts";
import { isActiveAdministrator } from "#services/domain/accounts/account.ts";
import type { CommandContext } from "../context.ts";
import { loadAccount } from "./account-decision.ts";

/** Any fixed number, unique among the service's advisory locks. */
export const ADMINISTRATORS_LOCK = "2854901137640225";

/**
 * Runs `work` while no other caller can demote or deactivate an administrator, and tells it whether
 * there is an active one besides `userId`. Of two administrators who demote each other, one
 * therefore comes second.
 */
export function whileAdministratorsStay<T>(
  context: Pick<CommandContext, "log" | "pool">,
  userId: string,
  work: (otherActiveAdministrator: boolean) => Promise<T>,
): Promise<T> {
  return whileLocked(context.pool, ADMINISTRATORS_LOCK, async (connection) =>
    work(await hasOtherActiveAdministrator(context, connection, userId)),
  );
}

/**
 * The read model suggests candidates and may lag; the log decides. A candidate found in the log
 * stays one under the lock. A promotion that is not visible yet does not count.
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
