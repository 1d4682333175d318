import { Refusal } from "#contracts/errors.ts";
import type { Role } from "#contracts/roles.ts";
import type { Position } from "#infra/log/event-log.ts";
import { endSessions, readPersonalKey } from "#infra/vault/credentials.ts";
import { decryptPersonal, encryptPersonal } from "#infra/vault/personal-data.ts";
import {
  type AccountState,
  existing,
  type UpdateUser,
  updateUser,
} from "#services/domain/accounts/account.ts";
import { isUserId, userName } from "#services/domain/accounts/fields.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnAccount, loadAccount } from "./account-decision.ts";
import { whileAdministratorsStay } from "./administrators.ts";

export type UserChange = {
  readonly role?: Role | undefined;
  readonly isActive?: boolean | undefined;
  readonly name?: string | undefined;
};

/**
 * Changes an account's role, active state or name; resolves when the change is visible. Deactivation
 * ends the user's sessions for good.
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR, CONFLICT
 */
export async function updateUserCommand(
  context: CommandContext,
  command: Command,
  userId: string,
  change: UserChange,
): Promise<void> {
  if (!isUserId(userId)) throw new Refusal("NOT_FOUND", "User not found");
  if (Object.values(change).every((value) => value === undefined)) {
    throw new Refusal("VALIDATION_ERROR", "Nothing to change: give role, is_active or name");
  }
  const toUpdate = await updateFor(context, userId, change);
  const endAll = () => endSessions(context.pool, userId, context.now());
  // A concurrent sign-in that still saw an active account may have begun a session after the
  // deactivation.
  if (change.isActive === true && (await isDeactivated(context, userId))) await endAll();
  const decide = async (otherActiveAdministrator: boolean): Promise<Position | null> => {
    const { position } = await decideOnAccount(context, command, userId, (state) =>
      updateUser(state, toUpdate(state), { actor: command.actor, otherActiveAdministrator }),
    );
    return position;
  };
  const position = mayRemoveAdministrator(change)
    ? await whileAdministratorsStay(context, userId, decide)
    : await decide(true);
  if (change.isActive === false) await endAll();
  await context.untilVisible("users", position);
}

function mayRemoveAdministrator({ role, isActive }: UserChange): boolean {
  return isActive === false || (role !== undefined && role !== "admin");
}

async function isDeactivated(context: CommandContext, userId: string): Promise<boolean> {
  const state = await loadAccount(context, userId);
  return state.status === "existing" && !state.isActive;
}

/** The change in the domain's terms: the name is encrypted, and present only if it differs. */
async function updateFor(
  { pool }: Pick<CommandContext, "pool">,
  userId: string,
  { role, isActive, name }: UserChange,
): Promise<(state: AccountState) => UpdateUser> {
  const plain = {
    ...(role !== undefined && { role }),
    ...(isActive !== undefined && { isActive }),
  };
  if (name === undefined) return () => plain;
  const newName = userName(name);
  const key = await readPersonalKey(pool, userId);
  if (key === null) throw new Refusal("NOT_FOUND", "User not found");
  return (state) =>
    decryptPersonal(key, existing(state).nameEncrypted) === newName
      ? plain
      : { ...plain, nameEncrypted: encryptPersonal(key, newName) };
}
