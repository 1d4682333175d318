import { Refusal } from "#contracts/errors.ts";
import { isKnownNetwork, readPasswordHash, replacePassword } from "#infra/vault/credentials.ts";
import { changePassword, endAccessTokens } from "#services/domain/accounts/account.ts";
import { PASSWORD_MAX, newPassword as validPassword } from "#services/domain/accounts/fields.ts";
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

/** Without a password there is no hash, and none matches. */
export type PasswordHolder = { readonly userId: string; readonly passwordHash: string | null };

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
  if (insteadOf === null) throw withoutPassword();
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
export async function recordChange(
  context: AccountContext,
  command: Command,
  userId: string,
  how: "changed" | "reset",
  endTokens: boolean,
): Promise<number> {
  const now = context.now().toISOString();
  const { events, position } = await decideOnAccount(context, command, userId, (state) => [
    ...changePassword(state, how),
    ...(endTokens ? endAccessTokens(state, now) : []),
  ]);
  const ended = events.filter(({ type }) => type === "AccessTokenEnded").length;
  if (ended > 0) await context.untilVisible("users", position);
  return ended;
}

/** Who signs in at the institute has none, unless they ask for a link that sets one. */
function withoutPassword(): Refusal {
  const sentence =
    "Your account has no password: choose one by a link that you ask for as if it were forgotten";
  return new Refusal("UNAUTHENTICATED", sentence);
}

function wrongPassword(): Refusal {
  return new Refusal("UNAUTHENTICATED", "The current password is wrong");
}
