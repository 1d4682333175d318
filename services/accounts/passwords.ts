/** Passwords: verified to sign in, changed, forgotten and reset. */

import { setTimeout as delay } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import type { Role } from "#contracts/rights.ts";
import {
  beginSession,
  consumeResetToken,
  isKnownNetwork,
  ownerOfResetToken,
  readPasswordHash,
  replacePassword,
} from "#infra/vault/credentials.ts";
import { emailHmac } from "#infra/vault/personal-data.ts";
import { findAccountByEmail } from "#projections/read/accounts.ts";
import {
  type AccountEvent,
  changePassword,
  endAccessTokens,
  requestPasswordReset,
  withdrawGiven,
} from "#services/domain/accounts/account.ts";
import {
  isEmailAddress,
  normaliseEmail,
  PASSWORD_MAX,
  newPassword as validPassword,
} from "#services/domain/accounts/fields.ts";
import type { AccountContext, Command } from "../context.ts";
import { decideOnAccount } from "./registration.ts";

export type LoginForm = {
  readonly email: string;
  readonly password: string;
  readonly network: CallerNetwork;
  /** Passwords do not count for this address; the refusal is that of a wrong one. */
  readonly isOff?: boolean;
};

export type LoggedIn = {
  readonly user: { id: string; email: string; name: string; role: Role };
  readonly sessionId: string;
};

/**
 * Begins a session of `sessionMs`. Null for an unknown address, a wrong password and a disabled
 * account, after the same work, so that they cannot be distinguished.
 */
export async function loginCommand(
  context: Pick<AccountContext, "vault" | "lookups" | "emailKey" | "passwords" | "now" | "newId">,
  { email, password, network, isOff }: LoginForm,
  sessionMs: number,
): Promise<LoggedIn | null> {
  // A malformed address is looked up too, as an unknown one.
  const hmac = emailHmac(context.emailKey, isEmailAddress(email) ? normaliseEmail(email) : "");
  const account = await findAccountByEmail(context.lookups, hmac);
  const holder =
    account && !isOff ? { userId: account.id, passwordHash: account.password_hash } : null;
  const matches = await verifyPassword(context, holder, password, network);
  if (!account || !matches || !account.is_active) return null;
  return beginSessionOf(context, account, account.password_hash, { network, sessionMs });
}

export type SessionStart = { readonly network: CallerNetwork; readonly sessionMs: number };

/**
 * @param passwordHash against which a password was verified; null where none was asked for
 * @returns null when the password was changed, or the user deleted, meanwhile
 */
export async function beginSessionOf(
  context: Pick<AccountContext, "vault" | "now" | "newId">,
  { id, email, name, role }: LoggedIn["user"],
  passwordHash: string | null,
  { network, sessionMs }: SessionStart,
): Promise<LoggedIn | null> {
  const createdAt = context.now();
  const sessionId = context.newId();
  const expiresAt = new Date(createdAt.getTime() + sessionMs);
  const networkTag = network.tag;
  const session = { sessionId, userId: id, passwordHash, networkTag, createdAt, expiresAt };
  if (!(await beginSession(context.vault, session))) return null;
  return { user: { id, email, name, role }, sessionId };
}

/** The network from which a password comes. */
export type CallerNetwork = {
  /** Pseudonym of the network, 32 bytes. */
  readonly tag: Buffer;
  /** Whether the password is accepted only from a network that its account has signed in from before. */
  readonly mustBeKnown: boolean;
};

/** A character has at most two UTF-16 units, so longer input exceeds the limit of passwords. */
const PASSWORD_MAX_UNITS = 2 * PASSWORD_MAX;

/**
 * Whether the password is the holder's and may be used from this network. Takes the same work
 * without a holder, and for an unknown network.
 * @param holder without a password there is no hash, and none matches
 */
export async function verifyPassword(
  { lookups, passwords, now }: Pick<AccountContext, "lookups" | "passwords" | "now">,
  holder: { readonly userId: string; readonly passwordHash: string | null } | null,
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
  /** Whether the access tokens of the account end too. */
  readonly endTokens: boolean;
  readonly network: CallerNetwork;
};

/**
 * Replaces the caller's password. The vault comes first, because it is decisive; the log only
 * records the change. Of two concurrent changes with the same current password the second is refused
 * as wrong.
 * @returns how many access tokens have ended
 * @throws Refusal VALIDATION_ERROR, UNAUTHENTICATED
 */
export async function changePasswordCommand(
  context: AccountContext,
  command: Command,
  { userId, sessionId, currentPassword, newPassword, endTokens, network }: PasswordChange,
): Promise<number> {
  const password = validPassword(newPassword);
  const insteadOf = await readPasswordHash(context.pool, userId);
  if (insteadOf === null) {
    // Who signs in at the institute has none, unless they ask for a link that sets one.
    const sentence =
      "Your account has no password: choose one by a link that you ask for as if it were forgotten";
    throw new Refusal("UNAUTHENTICATED", sentence);
  }
  const holder = { userId, passwordHash: insteadOf };
  if (!(await verifyPassword(context, holder, currentPassword, network))) throw wrongPassword();
  const passwordHash = await context.passwords.hash(password);
  const caller = { keepSession: sessionId, networkTag: network.tag };
  const change = { userId, passwordHash, insteadOf, ...caller, at: context.now() };
  const replaced = await context.pool.transaction((transaction) =>
    replacePassword(transaction, change),
  );
  if (!replaced) throw wrongPassword();
  return recordChange(context, command, userId, "changed", endTokens);
}

/** Records that a password was replaced, and ends access tokens. @returns how many */
async function recordChange(
  context: AccountContext,
  command: Command,
  userId: string,
  how: "changed" | "reset",
  endTokens: boolean,
): Promise<number> {
  const now = context.now().toISOString();
  const { events, position } = await decideOnAccount(context, command, userId, (state) => [
    ...changePassword(state, how),
    ...(how === "reset" ? withdrawGiven(state, now, BY_RESET) : []),
    ...(how === "changed" && endTokens ? endAccessTokens(state, now) : []),
  ]);
  if (events.length > 1) await context.untilVisible("users", position);
  return countEnded(events);
}

const BY_RESET = "The password of the account was reset";

const countEnded = (events: readonly AccountEvent[]): number =>
  events.filter(({ type }) => type === "AccessTokenEnded").length;

function wrongPassword(): Refusal {
  return new Refusal("UNAUTHENTICATED", "The current password is wrong");
}

type ForgottenPassword = { readonly email: string; readonly network: CallerNetwork };

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
  forgotten: ForgottenPassword,
): Promise<void> {
  if (!isEmailAddress(forgotten.email)) {
    throw new Refusal("VALIDATION_ERROR", "Invalid email format");
  }
  await Promise.all([requestReset(context, command, forgotten), delay(ANSWER_AFTER_MS)]);
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
          withdrawGiven(state, at.toISOString(), BY_RESET),
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
  return { userId, tokensEnded: countEnded(before?.events ?? []) + tokensEnded };
}
