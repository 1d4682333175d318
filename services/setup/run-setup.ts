import type { KeyObject } from "node:crypto";
import { Refusal } from "#contracts/errors.ts";
import { ROLE_PERMISSIONS } from "#contracts/roles.ts";
import type { Position } from "#infra/log/event-log.ts";
import { storeRoleDefinitions } from "#infra/vault/credentials.ts";
import { emailKey } from "#infra/vault/personal-data.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import { createAccount } from "#services/commands/accounts/register-user.ts";
import { type Registration, validRegistration } from "#services/domain/accounts/fields.ts";

export type SetupDeps = Omit<AdministratorDeps, "emailKey">;

/**
 * The setup step on a migrated database: the vault's secrets, the role definitions and, if
 * configured, the first administrator. May be repeated, also by several processes at once.
 * @returns the key for pseudonyms of addresses, which account commands need, and the position of a
 * newly created administrator in the log
 */
export async function runSetup(
  deps: SetupDeps,
  administrator: Registration | null,
): Promise<{ emailKey: KeyObject; administratorAt: Position | null }> {
  const key = await emailKey(deps.pool);
  await storeRoleDefinitions(deps.pool, ROLE_PERMISSIONS);
  const administratorAt =
    administrator && (await createAdministrator({ ...deps, emailKey: key }, administrator));
  return { emailKey: key, administratorAt };
}

type AdministratorDeps = Pick<
  AccountContext,
  "log" | "pool" | "vault" | "emailKey" | "passwords" | "logger" | "now" | "newId"
>;

/**
 * Creates the first administrator, unless the address has an account, which stays unchanged. Does
 * not wait for the read model, whose projection may not run yet. A reservation without an account is
 * taken over whatever its age, so that an interrupted start does not block the next.
 * @returns position of the account in the log; null when it existed before
 * @throws Refusal VALIDATION_ERROR
 */
async function createAdministrator(
  deps: AdministratorDeps,
  administrator: Registration,
): Promise<Position | null> {
  const command = { id: deps.newId(), actor: "system" };
  try {
    const { userId, position } = await createAccount(
      deps,
      command,
      validRegistration(administrator),
      {
        role: "admin",
        unfinishedMs: 0,
      },
    );
    deps.logger.info({ userId }, "bootstrap administrator created");
    return position;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "CONFLICT") throw error;
    deps.logger.info("bootstrap administrator not created: its address has an account");
    return null;
  }
}
