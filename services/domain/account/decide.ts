/** Decisions about an account: pure functions from state and command to events or a refusal. */

import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import { Refusal } from "#contracts/errors.ts";
import type { Role } from "#contracts/roles.ts";
import {
  type AccountEvent,
  type AccountState,
  type ExistingAccount,
  isActiveAdministrator,
} from "./state.ts";

export const EMAIL_IN_USE = "User with this email already exists";

/**
 * Refused when the address went to another registration meanwhile (see closeUnfinished).
 * @param further what else an account begins with
 */
export function registerUser(
  state: AccountState,
  command: UserEventData<"UserRegistered">,
  further: readonly AccountEvent[] = [],
): AccountEvent[] {
  if (state.status !== "absent") throw new Refusal("CONFLICT", EMAIL_IN_USE);
  return [{ type: "UserRegistered", data: command }, ...further];
}

/**
 * Closes an account of an unfinished registration for good: if that registration still runs, it
 * finds the stream taken. Only then can another account safely get the address.
 */
export function closeUnfinished(state: AccountState, userId: string): AccountEvent[] {
  if (state.status === "existing") throw new Refusal("CONFLICT", EMAIL_IN_USE);
  return closeForgotten(state, userId);
}

/**
 * Closes an account whose personal key was lost with its database, when its address is wanted:
 * nobody can sign in to the account or name its owner.
 */
export function closeForgotten(state: AccountState, userId: string): AccountEvent[] {
  return state.status === "deleted" ? [] : [{ type: "UserDeleted", data: { userId } }];
}

export type UpdateUser = {
  readonly role?: Role;
  readonly isActive?: boolean;
  /** Present only if the name changes, since encrypted texts cannot be compared here. */
  readonly nameEncrypted?: string;
};

/** The caller, and facts from outside the account's own stream. */
export type UpdateCircumstances = {
  readonly actor: string;
  readonly otherActiveAdministrator: boolean;
};

/** Unchanged members make no events. */
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

/** Refuses changes of one's own account, and the removal of the last active administrator. */
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

/** Records that the password was replaced; the hash itself is only in the vault. */
export function changePassword(state: AccountState, how: "changed" | "reset"): AccountEvent[] {
  const { userId } = existing(state);
  return [{ type: "PasswordChanged", data: { userId, how } }];
}

/** So that nobody can have somebody else's address flooded with mails. */
const RESET_EVERY_MS = 15 * 60 * 1000;

/** Only active accounts get a reset; for others nothing happens, and the caller cannot tell. */
export function requestPasswordReset(
  state: AccountState,
  { resetId, now }: { readonly resetId: string; readonly now: Date },
): AccountEvent[] {
  if (state.status !== "existing" || !state.isActive) return [];
  const { resetRequestedAt: last } = state;
  if (last !== null && now.getTime() - Date.parse(last) < RESET_EVERY_MS) return [];
  return [{ type: "PasswordResetRequested", data: { userId: state.userId, resetId } }];
}

/** Refuses the deletion of one's own account, and of the last active administrator's. */
export function deleteUser(
  state: AccountState,
  { actor, otherActiveAdministrator }: UpdateCircumstances,
): AccountEvent[] {
  const { userId } = existing(state);
  if (actor === userId) throw new Refusal("VALIDATION_ERROR", "You cannot delete yourself");
  if (isActiveAdministrator(state) && !otherActiveAdministrator) {
    throw new Refusal("CONFLICT", "The last active administrator cannot be deleted");
  }
  return [{ type: "UserDeleted", data: { userId } }];
}
