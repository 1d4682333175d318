/** Decisions about accounts that sign in at their institute. */

import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import type { Role } from "#contracts/roles.ts";
import { endAccessTokens } from "./access-tokens.ts";
import { existing } from "./decide.ts";
import { type AccountEvent, type AccountState, isActiveAdministrator } from "./state.ts";

/**
 * Ties an account to an institute's account, in place of an earlier one, and ends its access tokens.
 * @param now ISO 8601 UTC
 */
export function tieIdentity(
  state: AccountState,
  identity: Omit<UserEventData<"IdentityTied">, "userId">,
  now: string,
): AccountEvent[] {
  const { userId, identityHmac } = existing(state);
  if (identityHmac === identity.identityHmac) return [];
  const tied: AccountEvent = { type: "IdentityTied", data: { userId, ...identity } };
  return [tied, ...endAccessTokens(state, now)];
}

/** The groups at the institute whose members have a role here. */
export type GroupsOfRoles = Readonly<Record<"admin" | "editor", readonly string[]>>;

/** The highest role that one of the groups has. */
export function roleOfGroups(groups: readonly string[], { admin, editor }: GroupsOfRoles): Role {
  const isIn = (named: readonly string[]): boolean => named.some((name) => groups.includes(name));
  if (isIn(admin)) return "admin";
  return isIn(editor) ? "editor" : "viewer";
}

/** Gives an account the role of its groups. The last active administrator stays one, whatever they say. */
export function followGroups(
  state: AccountState,
  role: Role,
  otherActiveAdministrator: boolean,
): AccountEvent[] {
  const account = existing(state);
  if (role === account.role) return [];
  if (isActiveAdministrator(account) && !otherActiveAdministrator) return [];
  return [{ type: "UserRoleChanged", data: { userId: account.userId, role, because: "groups" } }];
}
