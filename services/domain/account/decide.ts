/** The decisions about an account: pure functions from state and command to events or a refusal. */

import { Refusal } from "#contracts/errors.ts";
import type { Role } from "#contracts/roles.ts";
import {
  type AccountEvent,
  type AccountState,
  type ExistingAccount,
  isActiveAdministrator,
} from "./state.ts";

/** The specification's words for an address that is in use ("Errors"). */
export const EMAIL_IN_USE = "User with this email already exists";

export type RegisterUser = {
  readonly userId: string;
  readonly emailEncrypted: string;
  readonly nameEncrypted: string;
  readonly emailHmac: string;
  readonly role: Role;
};

/** Refused where the address was meanwhile given to another registration (see closeUnfinished). */
export function registerUser(state: AccountState, command: RegisterUser): AccountEvent[] {
  if (state.status !== "absent") throw new Refusal("CONFLICT", EMAIL_IN_USE);
  return [{ type: "UserRegistered", data: command }];
}

/**
 * Closes an account whose registration was not finished, so that it never can be: whoever was still
 * at it finds the stream taken. Only then is it safe to give its address to another.
 */
export function closeUnfinished(state: AccountState, userId: string): AccountEvent[] {
  if (state.status === "existing") throw new Refusal("CONFLICT", EMAIL_IN_USE);
  return closeForgotten(state, userId);
}

/**
 * Closes an account whose personal key was lost with the database that had it: nobody can sign in to
 * it or name its owner, and its address is wanted.
 */
export function closeForgotten(state: AccountState, userId: string): AccountEvent[] {
  return state.status === "deleted" ? [] : [{ type: "UserDeleted", data: { userId } }];
}

export type UpdateUser = {
  readonly role?: Role;
  readonly isActive?: boolean;
  /** Given only when the name becomes another: of two encrypted texts nobody can tell here. */
  readonly nameEncrypted?: string;
};

/** Who asks, and what is true beyond the account's own stream. */
export type UpdateCircumstances = {
  readonly actor: string;
  readonly otherActiveAdministrator: boolean;
};

/** What is as it was makes no event. */
export function updateUser(
  state: AccountState,
  command: UpdateUser,
  circumstances: UpdateCircumstances,
): AccountEvent[] {
  const account = existing(state);
  requireAdministratorLeft(account, command, circumstances);
  const { userId } = account;
  const { role, isActive, nameEncrypted } = command;
  const events: AccountEvent[] = [];
  if (nameEncrypted !== undefined) {
    events.push({ type: "UserRenamed", data: { userId, nameEncrypted } });
  }
  if (role !== undefined && role !== account.role) {
    events.push({ type: "UserRoleChanged", data: { userId, role } });
  }
  if (isActive !== undefined && isActive !== account.isActive) {
    events.push({ type: isActive ? "UserReactivated" : "UserDeactivated", data: { userId } });
  }
  return events;
}

export function existing(state: AccountState): ExistingAccount {
  if (state.status !== "existing") throw new Refusal("NOT_FOUND", "User not found");
  return state;
}

/** Contract §3: acting on yourself is refused, and so is removing the last active administrator. */
function requireAdministratorLeft(
  account: ExistingAccount,
  { role = account.role, isActive = account.isActive }: UpdateUser,
  { actor, otherActiveAdministrator }: UpdateCircumstances,
): void {
  const stays = isActiveAdministrator({ ...account, role, isActive });
  if (stays || !isActiveAdministrator(account)) return;
  if (actor === account.userId) {
    throw new Refusal("VALIDATION_ERROR", "You cannot demote or deactivate yourself");
  }
  if (!otherActiveAdministrator) {
    throw new Refusal("CONFLICT", "The last active administrator cannot be demoted or deactivated");
  }
}
