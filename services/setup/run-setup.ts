import type { KeyObject } from "node:crypto";
import { ROLE_PERMISSIONS } from "#contracts/roles.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import { storeRoleDefinitions } from "#infra/security/vault/role-definitions.ts";
import { emailKey } from "#infra/security/vault/secrets.ts";
import {
  type Administrator,
  type AdministratorDeps,
  createAdministrator,
} from "./create-administrator.ts";

export type SetupDeps = Omit<AdministratorDeps, "emailKey">;

/**
 * The setup step on a migrated database: the vault's secrets, the role definitions and, if
 * configured, the first administrator. May be repeated, also by several processes at once.
 * @returns the key for pseudonyms of addresses, which account commands need, and the position of a
 * newly created administrator in the log
 */
export async function runSetup(
  deps: SetupDeps,
  administrator: Administrator | null,
): Promise<{ emailKey: KeyObject; administratorAt: Position | null }> {
  const key = await emailKey(deps.pool);
  await storeRoleDefinitions(deps.pool, ROLE_PERMISSIONS);
  const administratorAt =
    administrator && (await createAdministrator({ ...deps, emailKey: key }, administrator));
  return { emailKey: key, administratorAt };
}
