import type { Role } from "#contracts/roles.ts";
import type { Identity } from "#infra/openid/identity.ts";
import { SignInRefused } from "#infra/openid/sign-in-refused.ts";
import { emailHmac, identityHmac } from "#infra/security/personal-data.ts";
import {
  findAccountByEmail,
  findAccountByIdentity,
  type LoginAccount,
} from "#projections/queries/accounts/user-queries.ts";
import { isEmailAddress, normaliseEmail } from "#services/domain/account/account-fields.ts";
import { type GroupsOfRoles, roleOfGroups } from "#services/domain/account/institute.ts";
import type { Command } from "../../context.ts";
import type { AccountContext } from "../account-context.ts";
import { beginSessionOf, type LoggedIn, type SessionStart } from "../login.ts";
import { createInstituteAccount } from "./create-account.ts";
import { followGroupsCommand } from "./follow-groups.ts";
import { tieIdentityTo, whileIdentitiesStay } from "./identities.ts";

export type InstituteRules = {
  /** Null where administrators give roles. */
  readonly groupsOfRoles: GroupsOfRoles | null;
  /** Whether an administrator has to activate new accounts. */
  readonly awaitsApproval: boolean;
};

/** Somebody signed in, or the account that has the person's address and is theirs if they know its password. */
export type InstituteSignIn =
  | { readonly kind: "signed-in"; readonly loggedIn: LoggedIn }
  | { readonly kind: "to-join"; readonly userId: string; readonly role: Role | null };

type Found = { readonly account: LoggedIn["user"] & { readonly is_active: boolean } };

/**
 * Signs in whom an institute has confirmed. At the first time the account is made, or found by the verified
 * address where nobody has a password for it.
 * @throws SignInRefused
 */
export async function signInAtInstituteCommand(
  context: AccountContext,
  command: Command,
  identity: Identity,
  { groupsOfRoles, awaitsApproval, ...start }: InstituteRules & Omit<SessionStart, "passwordHash">,
): Promise<InstituteSignIn> {
  const email = addressOf(identity);
  const role = groupsOfRoles && roleOfGroups(identity.groups, groupsOfRoles);
  const hmac = identityHmac(context.emailKey, identity);
  const known = await findAccountByIdentity(context.lookups, hmac);
  const found: Found | { readonly toJoin: string } = known
    ? { account: known }
    : await whileIdentitiesStay(context, () =>
        firstTime(context, command, { identity, email, hmac, role, awaitsApproval }),
      );
  if ("toJoin" in found) return { kind: "to-join", userId: found.toJoin, role };
  if (!found.account.is_active) throw new SignInRefused("inactive");
  return { kind: "signed-in", loggedIn: await enter(context, command, found.account, role, start) };
}

/**
 * Begins a session, with the role of the groups where there is one.
 * @throws SignInRefused when the account was deleted meanwhile
 */
export async function enter(
  context: AccountContext,
  command: Command,
  account: LoggedIn["user"],
  role: Role | null,
  start: Omit<SessionStart, "passwordHash">,
): Promise<LoggedIn> {
  const given =
    role === null ? account.role : await followGroupsCommand(context, command, account, role);
  const now = { ...account, role: given };
  const loggedIn = await beginSessionOf(context, now, { ...start, passwordHash: null });
  if (loggedIn === null) throw new SignInRefused("not-confirmed");
  return loggedIn;
}

/** Without an address no account can be told of anything, nor found by its administrators. */
function addressOf({ email }: Identity): string {
  if (email === null || !isEmailAddress(email)) throw new SignInRefused("no-email");
  return email;
}

type FirstTime = Pick<InstituteRules, "awaitsApproval"> & {
  readonly identity: Identity;
  readonly email: string;
  /** Pseudonym of the identity. */
  readonly hmac: string;
  readonly role: Role | null;
};

async function firstTime(
  context: AccountContext,
  command: Command,
  { identity, email, hmac, role, awaitsApproval }: FirstTime,
): Promise<Found | { readonly toJoin: string }> {
  const tied = await findAccountByIdentity(context.pool, hmac);
  if (tied) return { account: tied };
  if (!identity.isEmailVerified) throw new SignInRefused("unverified-email");
  const addressHmac = emailHmac(context.emailKey, normaliseEmail(email));
  const owner = await findAccountByEmail(context.pool, addressHmac);
  if (owner === null) {
    const person = { ...identity, email };
    const options = { role: role ?? "viewer", awaitsApproval };
    return { account: await createInstituteAccount(context, command, person, options) };
  }
  if (!owner.is_active) throw new SignInRefused("inactive");
  if (owner.password_hash !== null) return { toJoin: owner.id };
  if (isOfAnother(owner, identity)) throw new SignInRefused("email-of-another");
  await tieIdentityTo(context, command, owner.id, identity);
  return { account: owner };
}

/** Addresses are given to other people; the account of an institute that is not asked any more is nobody else's. */
function isOfAnother({ identity_issuer }: LoginAccount, { issuer }: Identity): boolean {
  return identity_issuer === issuer;
}
