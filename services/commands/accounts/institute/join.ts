import type { Role } from "#contracts/roles.ts";
import { SignInRefused } from "#infra/openid.ts";
import { identityHmac } from "#infra/vault/personal-data.ts";
import { findAccountByIdentity, findLoginAccount } from "#projections/read/accounts.ts";
import type { Command } from "../../context.ts";
import type { AccountContext } from "../account-context.ts";
import type { LoggedIn, SessionStart } from "../login.ts";
import { verifyPassword } from "../passwords.ts";
import { type InstituteAccount, tieIdentityTo, whileIdentitiesStay } from "./identities.ts";
import { enter } from "./sign-in.ts";

export type Joining = InstituteAccount & {
  readonly userId: string;
  /** That of the person's groups; null where administrators give roles. */
  readonly role: Role | null;
  readonly password: string;
};

/**
 * Ties an account to the institute's account of whoever knows its password, and signs them in; all its sessions and
 * access tokens of before end. Null for a wrong
 * password, and for an account that is disabled or deleted.
 * @throws SignInRefused when the institute's account was tied to another account meanwhile
 */
export async function joinInstituteCommand(
  context: AccountContext,
  command: Command,
  { userId, role, password, ...identity }: Joining,
  start: Omit<SessionStart, "passwordHash">,
): Promise<(LoggedIn & { readonly tokensEnded: number }) | null> {
  const account = await findLoginAccount(context.lookups, userId);
  const holder = account && { userId, passwordHash: account.password_hash };
  const matches = await verifyPassword(context, holder, password, start.network);
  if (!account || !matches || !account.is_active) return null;
  const tokensEnded = await whileIdentitiesStay(context, async () => {
    const hmac = identityHmac(context.emailKey, identity);
    const other = await findAccountByIdentity(context.pool, hmac);
    if (other && other.id !== userId) throw new SignInRefused("email-of-another");
    return tieIdentityTo(context, command, userId, identity);
  });
  return { ...(await enter(context, command, account, role, start)), tokensEnded };
}
