import { setTimeout as delay } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import { emailHmac } from "#infra/security/personal-data.ts";
import { readPasswordHash, replacePassword } from "#infra/security/vault/credentials.ts";
import { isKnownNetwork } from "#infra/security/vault/known-networks.ts";
import { consumeResetToken } from "#infra/security/vault/reset-tokens.ts";
import { findAccountByEmail } from "#projections/queries/accounts/user-queries.ts";
import {
  isEmailAddress,
  normaliseEmail,
  PASSWORD_MAX,
  newPassword as validPassword,
} from "#services/domain/account/account-fields.ts";
import { changePassword, requestPasswordReset } from "#services/domain/account/decide.ts";
import type { Command } from "../context.ts";
import type { AccountContext } from "./account-context.ts";
import { decideOnAccount } from "./account-decision.ts";

/** The network from which a password comes. */
export type CallerNetwork = {
  /** Pseudonym of the network, 32 bytes. */
  readonly tag: Buffer;
  /** Whether the password is accepted only from a network that its account has signed in from before. */
  readonly mustBeKnown: boolean;
};

/** A character has at most two UTF-16 units, so longer input exceeds the limit of passwords. */
const PASSWORD_MAX_UNITS = 2 * PASSWORD_MAX;

export type PasswordHolder = { readonly userId: string; readonly passwordHash: string };

/**
 * Whether the password is the holder's and may be used from this network. Takes the same work
 * without a holder, and for an unknown network.
 */
export async function verifyPassword(
  { lookups, passwords, now }: Pick<AccountContext, "lookups" | "passwords" | "now">,
  holder: PasswordHolder | null,
  password: string,
  { tag: networkTag, mustBeKnown }: CallerNetwork,
): Promise<boolean> {
  const network = { userId: holder?.userId ?? "", networkTag };
  const mayBeUsed = !mustBeKnown || (await isKnownNetwork(lookups, network, now()));
  const hash = mayBeUsed && holder ? holder.passwordHash : null;
  // Input that is too long for a password is compared as an empty one.
  const bounded = password.length <= PASSWORD_MAX_UNITS ? password : "";
  return passwords.verify(hash, bounded);
}

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

/** Well above the time of an append, so that the duration does not show whether there was one. */
const ANSWER_AFTER_MS = 250;

/**
 * Requests a password reset of an active account with this address. Takes the same time and returns
 * the same for an unknown address. Only the log is written; the notifier creates the token.
 * @throws Refusal VALIDATION_ERROR for a malformed address
 */
export async function forgotPasswordCommand(
  context: AccountContext,
  command: Command,
  email: string,
): Promise<void> {
  if (!isEmailAddress(email)) throw new Refusal("VALIDATION_ERROR", "Invalid email format");
  await Promise.all([requestReset(context, command, email), delay(ANSWER_AFTER_MS)]);
}

async function requestReset(
  context: AccountContext,
  command: Command,
  email: string,
): Promise<void> {
  const hmac = emailHmac(context.emailKey, normaliseEmail(email));
  const account = await findAccountByEmail(context.lookups, hmac);
  if (!account) return;
  const resetId = context.newId();
  await decideOnAccount(context, command, account.id, (state) =>
    requestPasswordReset(state, resetId),
  );
}

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
