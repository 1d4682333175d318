import { type KeyObject, randomInt } from "node:crypto";
import { Refusal } from "#contracts/errors.ts";
import type { Role } from "#contracts/roles.ts";
import type { Position } from "#infra/log/event-log.ts";
import { forgetUser, storeCredentials } from "#infra/vault/credentials.ts";
import { emailHmac, encryptPersonal, newPersonalKey } from "#infra/vault/personal-data.ts";
import {
  type AccountEvent,
  type AccountState,
  registerUser,
} from "#services/domain/accounts/account.ts";
import {
  type Newcomer,
  userId as newUserId,
  normaliseEmail,
  type RegistrationForm,
  validNewcomer,
  validRegistration,
} from "#services/domain/accounts/fields.ts";
import type { Command } from "../context.ts";
import type { AccountContext } from "./account-context.ts";
import { decideOnAccount } from "./account-decision.ts";
import { type EmailReservation, reserveEmailAddress } from "./email-reservations.ts";

/**
 * Age at which a reservation without an account counts as abandoned; a registration takes
 * milliseconds.
 */
const UNFINISHED_MS = 60_000;
const ID_SUFFIX_LENGTH = 9;

/**
 * Registers a viewer and returns the new account once it is visible.
 * @param awaitsApproval whether an administrator has to activate the account
 * @throws Refusal VALIDATION_ERROR, CONFLICT
 */
export function registerUserCommand(
  context: AccountContext,
  command: Command,
  form: RegistrationForm,
  awaitsApproval = false,
): Promise<CreatedAccount> {
  const further = ({ userId }: NewAccount): AccountEvent[] =>
    awaitsApproval ? [{ type: "ApprovalRequested", data: { userId } }] : [];
  return createVisibleAccount(context, command, validRegistration(form), {
    role: "viewer",
    further,
  });
}

export type Invitation = Newcomer & {
  readonly role: Role;
  /** Whether a link for choosing a password goes to the address. */
  readonly isMailed: boolean;
};

/**
 * Makes an account without a password and returns it once it is visible.
 * @throws Refusal VALIDATION_ERROR, MISSING_NAME, CONFLICT
 */
export function inviteUserCommand(
  context: AccountContext,
  command: Command,
  { role, isMailed, ...newcomer }: Invitation,
): Promise<CreatedAccount> {
  const resetId = context.newId();
  const further = ({ userId }: NewAccount): AccountEvent[] =>
    isMailed ? [{ type: "UserInvited", data: { userId, resetId } }] : [];
  return createVisibleAccount(context, command, validNewcomer(newcomer), { role, further });
}

/**
 * As `createAccount`, among other registrations; returns once the account is visible.
 * @throws Refusal CONFLICT
 */
export async function createVisibleAccount(
  context: AccountContext,
  command: Command,
  person: NewPerson,
  options: Pick<AccountOptions, "role" | "further">,
): Promise<CreatedAccount> {
  const account = await createAccount(context, command, person, {
    ...options,
    unfinishedMs: UNFINISHED_MS,
    failed: context.failedRegistrations,
  });
  await context.untilVisible("users", account.position);
  return account;
}

/** Valid data of a person; without a password, somebody who signs in otherwise or sets one later. */
export type NewPerson = Newcomer & { readonly password?: string };

export type NewAccount = { readonly userId: string; readonly personalKey: KeyObject };

export type AccountOptions = Pick<EmailReservation, "unfinishedMs" | "failed"> & {
  readonly role: Role;
  /** What else the account begins with. */
  readonly further?: (account: NewAccount) => readonly AccountEvent[];
};

export type CreatedAccount = {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly isActive: boolean;
  /** Time of the registration in everything written about it. */
  readonly at: Date;
  readonly position: Position | null;
};

/**
 * The vault comes first, then the address, then the account. A crash in between leaves a reserved
 * address, which another registration takes over, but never an account without its key or its
 * address.
 * @throws Refusal CONFLICT
 */
export async function createAccount(
  context: Pick<AccountContext, "log" | "pool" | "vault" | "emailKey" | "passwords" | "now">,
  command: Command,
  { email, password, name }: NewPerson,
  { role, unfinishedMs, failed, further = () => [] }: AccountOptions,
): Promise<CreatedAccount> {
  const passwordHash = password === undefined ? null : await context.passwords.hash(password);
  const at = context.now();
  const registering = { ...context, now: () => at };
  const userId = newUserId(at, idSuffix());
  const personalKey = newPersonalKey();
  const hmac = emailHmac(context.emailKey, normaliseEmail(email));
  await storeCredentials(context.vault, { userId, personalKey, passwordHash, at });
  try {
    const reservation = { emailHmac: hmac, userId, unfinishedMs, failed };
    await reserveEmailAddress(registering, command, reservation);
    const also = further({ userId, personalKey });
    const data = {
      userId,
      emailEncrypted: encryptPersonal(personalKey, email),
      nameEncrypted: encryptPersonal(personalKey, name),
      emailHmac: hmac,
      role,
    };
    const register = (state: AccountState) => registerUser(state, data, also);
    const { position } = await decideOnAccount(registering, command, userId, register, {
      isNew: true,
    });
    const isActive = also.every(({ type }) => type !== "ApprovalRequested");
    return { userId, email, name, role, isActive, at, position };
  } catch (error) {
    // After a refusal there is certainly no account; after another error there may be one, which
    // needs its key.
    if (error instanceof Refusal) await forgetUser(context.pool, userId);
    else failed?.add(userId);
    throw error;
  }
}

function idSuffix(): string {
  return Array.from({ length: ID_SUFFIX_LENGTH }, () => randomInt(36).toString(36)).join("");
}
