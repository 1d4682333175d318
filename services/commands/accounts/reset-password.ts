import { setTimeout as delay } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import {
  consumeResetToken,
  isKnownNetwork,
  ownerOfResetToken,
  replacePassword,
} from "#infra/vault/credentials.ts";
import { emailHmac } from "#infra/vault/personal-data.ts";
import { findAccountByEmail } from "#projections/read/accounts.ts";
import { endAccessTokens, requestPasswordReset } from "#services/domain/accounts/account.ts";
import {
  isEmailAddress,
  normaliseEmail,
  newPassword as validPassword,
} from "#services/domain/accounts/fields.ts";
import type { Command } from "../context.ts";
import type { AccountContext } from "./account-context.ts";
import { decideOnAccount } from "./account-decision.ts";
import { type CallerNetwork, recordChange } from "./passwords.ts";

export type ForgottenPassword = { readonly email: string; readonly network: CallerNetwork };

/** Well above the time of an append, so that the duration does not show whether there was one. */
const ANSWER_AFTER_MS = 250;

/**
 * Requests a password reset of an active account with this address, at most one in a quarter of an hour.
 * Takes the same time and returns the same for an unknown address. Only the log is written; the notifier
 * creates the token.
 * @throws Refusal VALIDATION_ERROR for a malformed address, UNAUTHENTICATED where the network must be known
 * and is not
 */
export async function forgotPasswordCommand(
  context: AccountContext,
  command: Command,
  { email, network }: ForgottenPassword,
): Promise<void> {
  if (!isEmailAddress(email)) throw new Refusal("VALIDATION_ERROR", "Invalid email format");
  await Promise.all([requestReset(context, command, { email, network }), delay(ANSWER_AFTER_MS)]);
}

async function requestReset(
  context: AccountContext,
  command: Command,
  { email, network }: ForgottenPassword,
): Promise<void> {
  const hmac = emailHmac(context.emailKey, normaliseEmail(email));
  const account = await findAccountByEmail(context.lookups, hmac);
  if (network.mustBeKnown) {
    const from = { userId: account?.id ?? "", networkTag: network.tag };
    const isKnown = await isKnownNetwork(context.lookups, from, context.now());
    if (!isKnown) throw new Refusal("UNAUTHENTICATED");
  }
  if (!account) return;
  const resetId = context.newId();
  await decideOnAccount(context, command, account.id, (state) =>
    requestPasswordReset(state, { resetId, now: context.now() }),
  );
}

export type PasswordReset = {
  readonly token: string;
  readonly newPassword: string;
  readonly network: CallerNetwork;
};

/**
 * Replaces the password of a reset token's user and ends all of that user's sessions. The token is
 * used up in the same transaction, but not when the new password is refused. All access tokens end: before, so that
 * a link is not used up where they cannot, and after, for those that a session made until it ended.
 * @returns whose account it is, and how many access tokens have ended
 * @throws Refusal VALIDATION_ERROR
 */
export async function resetPasswordCommand(
  context: AccountContext,
  command: Command,
  { token, newPassword, network }: PasswordReset,
): Promise<{ readonly userId: string; readonly tokensEnded: number }> {
  const passwordHash = await context.passwords.hash(validPassword(newPassword));
  const at = context.now();
  const known = await ownerOfResetToken(context.pool, token, at);
  const first = { ...command, id: context.newId() };
  // Seen once all is done: a link that was used up by half would leave its owner out.
  const before =
    known === null
      ? null
      : await decideOnAccount(context, first, known, (state) =>
          endAccessTokens(state, at.toISOString()),
        );
  const userId = await context.pool.transaction(async (transaction) => {
    const owner = await consumeResetToken(transaction, token, at);
    if (owner === null) return null;
    const caller = { keepSession: null, networkTag: network.tag };
    const reset = { userId: owner, passwordHash, insteadOf: null, ...caller, at };
    return (await replacePassword(transaction, reset)) ? owner : null;
  });
  if (userId === null)
    throw new Refusal("VALIDATION_ERROR", "The reset token is invalid or has expired");
  const tokensEnded = await recordChange(context, command, userId, "reset", true);
  await context.untilVisible("users", before?.position ?? null);
  return { userId, tokensEnded: (before?.events.length ?? 0) + tokensEnded };
}
