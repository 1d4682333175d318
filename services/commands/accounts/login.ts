import type { Role } from "#contracts/roles.ts";
import { beginSession } from "#infra/vault/credentials.ts";
import { emailHmac } from "#infra/vault/personal-data.ts";
import { findAccountByEmail } from "#projections/read/accounts.ts";
import { isEmailAddress, normaliseEmail } from "#services/domain/accounts/fields.ts";
import type { AccountContext } from "./account-context.ts";
import { type CallerNetwork, verifyPassword } from "./passwords.ts";

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

type LoginContext = Pick<
  AccountContext,
  "vault" | "lookups" | "emailKey" | "passwords" | "now" | "newId"
>;

/**
 * Begins a session of `sessionMs`. Null for an unknown address, a wrong password and a disabled
 * account, after the same work, so that they cannot be distinguished.
 */
export async function loginCommand(
  context: LoginContext,
  form: LoginForm,
  sessionMs: number,
): Promise<LoggedIn | null> {
  const account = await findAccount(context, form.email);
  const { password, network, isOff } = form;
  const holder =
    account && !isOff ? { userId: account.id, passwordHash: account.password_hash } : null;
  const matches = await verifyPassword(context, holder, password, network);
  if (!account || !matches || !account.is_active) return null;
  const { password_hash: passwordHash } = account;
  return beginSessionOf(context, account, { passwordHash, network, sessionMs });
}

export type SessionStart = {
  /** The hash against which a password was verified; null where none was asked for. */
  readonly passwordHash: string | null;
  readonly network: CallerNetwork;
  readonly sessionMs: number;
};

/** Null when the password was changed, or the user deleted, meanwhile. */
export async function beginSessionOf(
  context: Pick<AccountContext, "vault" | "now" | "newId">,
  { id, email, name, role }: LoggedIn["user"],
  { passwordHash, network, sessionMs }: SessionStart,
): Promise<LoggedIn | null> {
  const createdAt = context.now();
  const sessionId = context.newId();
  const expiresAt = new Date(createdAt.getTime() + sessionMs);
  const networkTag = network.tag;
  const session = { sessionId, userId: id, passwordHash, networkTag, createdAt, expiresAt };
  if (!(await beginSession(context.vault, session))) return null;
  return { user: { id, email, name, role }, sessionId };
}

function findAccount(
  { lookups, emailKey }: LoginContext,
  email: string,
): ReturnType<typeof findAccountByEmail> {
  // A malformed address is looked up too, as an unknown one.
  const normalised = isEmailAddress(email) ? normaliseEmail(email) : "";
  return findAccountByEmail(lookups, emailHmac(emailKey, normalised));
}
