/** Sign-in at an institute: accounts that are found, made or joined by what it confirms. */

import { randomInt } from "node:crypto";
import { Refusal } from "#contracts/errors.ts";
import type { Role } from "#contracts/rights.ts";
import { type Identity, SignInRefused } from "#infra/openid.ts";
import { whileLocked } from "#infra/postgres/statements.ts";
import { endSessions, readPersonalKey } from "#infra/vault/credentials.ts";
import { emailHmac, encryptPersonal, identityHmac } from "#infra/vault/personal-data.ts";
import {
  findAccountByEmail,
  findAccountByIdentity,
  findLoginAccount,
} from "#projections/read/accounts.ts";
import {
  type AccountEvent,
  followGroups,
  type GroupsOfRoles,
  roleOfGroups,
  tieIdentity,
} from "#services/domain/accounts/account.ts";
import { isEmailAddress, normaliseEmail, userName } from "#services/domain/accounts/fields.ts";
import type { AccountContext, Command } from "../context.ts";
import { untilCurrent } from "../streams.ts";
import { beginSessionOf, type LoggedIn, type SessionStart, verifyPassword } from "./passwords.ts";
import {
  changeAccount,
  createVisibleAccount,
  decideOnAccount,
  type NewAccount,
  whileAdministratorsStay,
} from "./registration.ts";

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
  { groupsOfRoles, awaitsApproval, ...start }: InstituteRules & SessionStart,
): Promise<InstituteSignIn> {
  const email = addressOf(identity);
  const role = groupsOfRoles && roleOfGroups(identity.groups, groupsOfRoles);
  const hmac = identityHmac(context.emailKey, identity);
  const known = await findAccountByIdentity(context.lookups, hmac);
  const found: Found | { readonly toJoin: string } = known
    ? { account: known }
    : await whileIdentitiesStay(context, () =>
        firstTime(context, command, { ...identity, email }, hmac, role, awaitsApproval),
      );
  if ("toJoin" in found) return { kind: "to-join", userId: found.toJoin, role };
  if (!found.account.is_active) throw new SignInRefused("inactive");
  return { kind: "signed-in", loggedIn: await enter(context, command, found.account, role, start) };
}

/**
 * Begins a session, with the role of the groups where there is one.
 * @throws SignInRefused when the account was deleted meanwhile
 */
async function enter(
  context: AccountContext,
  command: Command,
  account: LoggedIn["user"],
  role: Role | null,
  start: SessionStart,
): Promise<LoggedIn> {
  const given =
    role === null ? account.role : await followGroupsCommand(context, command, account, role);
  const loggedIn = await beginSessionOf(context, { ...account, role: given }, null, start);
  if (loggedIn === null) throw new SignInRefused("not-confirmed");
  return loggedIn;
}

/** Without an address no account can be told of anything, nor found by its administrators. */
function addressOf({ email }: Identity): string {
  if (email === null || !isEmailAddress(email)) throw new SignInRefused("no-email");
  return email;
}

/** @param hmac pseudonym of the identity */
async function firstTime(
  context: AccountContext,
  command: Command,
  identity: Identity & { readonly email: string },
  hmac: string,
  role: Role | null,
  awaitsApproval: boolean,
): Promise<Found | { readonly toJoin: string }> {
  const tied = await findAccountByIdentity(context.pool, hmac);
  if (tied) return { account: tied };
  if (!identity.isEmailVerified) throw new SignInRefused("unverified-email");
  const addressHmac = emailHmac(context.emailKey, normaliseEmail(identity.email));
  const owner = await findAccountByEmail(context.pool, addressHmac);
  if (owner === null) {
    const options = { role: role ?? "viewer", awaitsApproval };
    return { account: await createInstituteAccount(context, command, identity, options) };
  }
  if (!owner.is_active) throw new SignInRefused("inactive");
  if (owner.password_hash !== null) return { toJoin: owner.id };
  // Addresses are given to other people; the account of an institute that is not asked any more is nobody else's.
  if (owner.identity_issuer === identity.issuer) throw new SignInRefused("email-of-another");
  await tieIdentityTo(context, command, owner.id, identity);
  return { account: owner };
}

/**
 * Gives an account the role that its groups have, once that is visible; the last active administrator keeps his.
 * @param account as last read
 * @returns the role from now on
 */
async function followGroupsCommand(
  context: AccountContext,
  command: Command,
  account: { readonly id: string; readonly role: Role },
  role: Role,
): Promise<Role> {
  if (account.role === role) return role;
  const bySystem = { ...command, actor: "system" };
  const decide = (otherActiveAdministrator: boolean) =>
    decideOnAccount(context, bySystem, account.id, (state) =>
      followGroups(state, role, otherActiveAdministrator),
    );
  const { state, position } =
    role === "admin"
      ? await decide(true)
      : await whileAdministratorsStay(context, account.id, decide);
  await context.untilVisible("users", position);
  const given = state.status === "existing" ? state.role : role;
  if (given !== role) {
    context.logger.warn(
      { userId: account.id },
      "the last active administrator stays one without the group",
    );
  }
  return given;
}

/**
 * Makes the account of a person whom an institute has confirmed; it is visible then. It has no password.
 * @throws Refusal CONFLICT when somebody registers the address at the same moment
 */
async function createInstituteAccount(
  context: AccountContext,
  command: Command,
  { issuer, subject, email, name }: Identity & { readonly email: string },
  { role, awaitsApproval }: { readonly role: Role; readonly awaitsApproval: boolean },
): Promise<Found["account"]> {
  const further = ({ userId, personalKey }: NewAccount): AccountEvent[] => [
    {
      type: "IdentityTied",
      data: {
        userId,
        issuer,
        subjectEncrypted: encryptPersonal(personalKey, subject),
        identityHmac: identityHmac(context.emailKey, { issuer, subject }),
      },
    },
    ...(awaitsApproval ? [{ type: "ApprovalRequested" as const, data: { userId } }] : []),
  ];
  // Others see names, so an address is none.
  const nameless = () => `user${String(randomInt(10_000)).padStart(4, "0")}`;
  const person = { email, name: shownName(name) ?? nameless() };
  const account = await createVisibleAccount(context, command, person, { role, further });
  return { id: account.userId, email, name: account.name, role, is_active: account.isActive };
}

/** Null for a name that no account may have. */
function shownName(name: string | null): string | null {
  try {
    return userName(name ?? "");
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

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
  start: SessionStart,
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

/** An account at an institute: its provider, and the provider's own name for the person. */
type InstituteAccount = { readonly issuer: string; readonly subject: string };

/** Any fixed number, unique among the service's advisory locks. */
const IDENTITIES_LOCK = "6120459873320417";

/**
 * Runs `work` while no other caller ties accounts, so that of two first sign-ins of a person, at whatever
 * gateways, one comes second; it then finds in the read model what the other has tied.
 */
function whileIdentitiesStay<T>(context: AccountContext, work: () => Promise<T>): Promise<T> {
  return whileLocked(context.pool, IDENTITIES_LOCK, async () => {
    await untilCurrent(context, "users", await context.log.head());
    return work();
  });
}

/**
 * Ties an account to an institute's account, in place of an earlier one; resolves when it is visible. Whoever used the
 * account before may be somebody else: its sessions end, and then its access tokens. To be called while identities
 * stay.
 * @returns how many access tokens have ended
 * @throws Refusal NOT_FOUND for a deleted account
 */
async function tieIdentityTo(
  context: AccountContext,
  command: Command,
  userId: string,
  { issuer, subject }: InstituteAccount,
): Promise<number> {
  const key = await readPersonalKey(context.pool, userId);
  if (key === null) throw new Refusal("NOT_FOUND", "User not found");
  const identity = {
    issuer,
    subjectEncrypted: encryptPersonal(key, subject),
    identityHmac: identityHmac(context.emailKey, { issuer, subject }),
  };
  await endSessions(context.pool, userId, context.now());
  const now = context.now().toISOString();
  const { events } = await changeAccount(context, command, userId, (state) =>
    tieIdentity(state, identity, now),
  );
  return events.filter(({ type }) => type === "AccessTokenEnded").length;
}
