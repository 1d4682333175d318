import { Refusal } from "#contracts/errors.ts";
import { readPasswordHash, replacePassword } from "#infra/security/vault/credentials.ts";
import { changePassword } from "#services/domain/account/decide.ts";
import { newPassword as validPassword } from "#services/domain/account/password.ts";
import type { Command } from "../context.ts";
import type { AccountContext } from "./account-context.ts";
import { decideOnAccount } from "./account-decision.ts";
import type { CallerNetwork } from "./caller-network.ts";
import { verifyPassword } from "./verify-password.ts";

export type PasswordChange = {
  readonly userId: string;
  /** The caller's session, UUID; the only one that stays. */
  readonly sessionId: string;
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly network: CallerNetwork;
};

/**
 * Replaces the caller's password. The vault comes first, because it is decisive; the log only
 * records the change. Of two concurrent changes with the same current password the second is refused
 * as wrong.
 * @throws Refusal VALIDATION_ERROR, UNAUTHENTICATED
 */
export async function changePasswordCommand(
  context: AccountContext,
  command: Command,
  { userId, sessionId, currentPassword, newPassword, network }: PasswordChange,
): Promise<void> {
  const password = validPassword(newPassword);
  const insteadOf = await readPasswordHash(context.pool, userId);
  const holder = insteadOf === null ? null : { userId, passwordHash: insteadOf };
  if (!(await verifyPassword(context, holder, currentPassword, network))) throw wrongPassword();
  const passwordHash = await context.passwords.hash(password);
  const kept = { keepSession: sessionId, networkTag: network.tag };
  const change = { userId, passwordHash, insteadOf, ...kept, at: context.now() };
  const replaced = await context.pool.transaction((transaction) =>
    replacePassword(transaction, change),
  );
  if (!replaced) throw wrongPassword();
  await decideOnAccount(context, command, userId, (state) => changePassword(state, "changed"));
}

function wrongPassword(): Refusal {
  return new Refusal("UNAUTHENTICATED", "The current password is wrong");
}
