import { setTimeout as delay } from "node:timers/promises";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { listActiveAdministratorIds } from "#projections/queries/accounts/user-queries.ts";
import { isActiveAdministrator } from "#services/domain/account/state.ts";
import type { CommandContext } from "../context.ts";
import { loadAccount } from "./account-decision.ts";

/** Any fixed number, unique among the service's advisory locks. */
export const ADMINISTRATORS_LOCK = "2854901137640225";
const Locked = z.object({ locked: z.boolean() });
/** Between two tries for the lock. */
const RETRY_MS = 50;

/**
 * Runs `work` while no other caller can demote or deactivate an administrator, and tells it whether
 * there is an active one besides `userId`. Of two administrators who demote each other, one
 * therefore comes second.
 *
 * The lock belongs to the session, not to a transaction, because the log uses its own connections
 * for appends. Nobody waits for it with a connection in hand: the one who has it needs further connections.
 */
export async function whileAdministratorsStay<T>(
  context: Pick<CommandContext, "log" | "pool">,
  userId: string,
  work: (otherActiveAdministrator: boolean) => Promise<T>,
): Promise<T> {
  for (;;) {
    const done = await context.pool.connect(async (connection) => {
      const { locked } = await connection.one(
        sql.type(Locked)`select pg_try_advisory_lock(${ADMINISTRATORS_LOCK}::bigint) as locked`,
      );
      if (!locked) return null;
      try {
        return {
          value: await work(await hasOtherActiveAdministrator(context, connection, userId)),
        };
      } finally {
        await connection.query(
          sql.unsafe`select pg_advisory_unlock(${ADMINISTRATORS_LOCK}::bigint)`,
        );
      }
    });
    if (done !== null) return done.value;
    await delay(RETRY_MS);
  }
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
