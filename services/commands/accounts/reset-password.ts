import { Refusal } from "#contracts/errors.ts";
import { replacePassword } from "#infra/security/vault/credentials.ts";
import { consumeResetToken } from "#infra/security/vault/reset-tokens.ts";
import { changePassword } from "#services/domain/account/decide.ts";
import { newPassword as validPassword } from "#services/domain/account/password.ts";
import type { Command } from "../context.ts";
import type { AccountContext } from "./account-context.ts";
import { decideOnAccount } from "./account-decision.ts";
import type { CallerNetwork } from "./caller-network.ts";

export type PasswordReset = {
  readonly token: string;
  readonly newPassword: string;
  readonly network: CallerNetwork;
};

/**
 * Replaces the password of a reset token's user and ends all of that user's sessions. The token is
 * used up in the same transaction, but not when the new password is refused.
 * @throws Refusal VALIDATION_ERROR
 */
export async function resetPasswordCommand(
  context: AccountContext,
  command: Command,
  { token, newPassword, network }: PasswordReset,
): Promise<void> {
  const passwordHash = await context.passwords.hash(validPassword(newPassword));
  const at = context.now();
  const userId = await context.pool.transaction(async (transaction) => {
    const owner = await consumeResetToken(transaction, token, at);
    if (owner === null) return null;
    const kept = { keepSession: null, networkTag: network.tag };
    const reset = { userId: owner, passwordHash, insteadOf: null, ...kept, at };
    return (await replacePassword(transaction, reset)) ? owner : null;
  });
  if (userId === null)
    throw new Refusal("VALIDATION_ERROR", "The reset token is invalid or has expired");
  await decideOnAccount(context, command, userId, (state) => changePassword(state, "reset"));
}
