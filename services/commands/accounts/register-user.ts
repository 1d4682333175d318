import { randomInt } from "node:crypto";
import { Refusal } from "#contracts/errors.ts";
import type { Role } from "#contracts/roles.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import { emailHmac, encryptPersonal, newPersonalKey } from "#infra/security/personal-data.ts";
import { forgetUser, storeCredentials } from "#infra/security/vault/credentials.ts";
import {
  userId as newUserId,
  normaliseEmail,
  type RegistrationForm,
  validRegistration,
} from "#services/domain/account/account-fields.ts";
import { registerUser } from "#services/domain/account/decide.ts";
import type { AccountState } from "#services/domain/account/state.ts";
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
 * @throws Refusal VALIDATION_ERROR, CONFLICT
 */
export async function registerUserCommand(
  context: AccountContext,
  command: Command,
  form: RegistrationForm,
): Promise<CreatedAccount> {
  const account = await createAccount(context, command, form, {
    role: "viewer",
    unfinishedMs: UNFINISHED_MS,
    failed: context.failedRegistrations,
  });
  await context.untilVisible("users", account.position);
  return account;
}

export type AccountOptions = Pick<EmailReservation, "unfinishedMs" | "failed"> & {
  readonly role: Role;
};

export type CreatedAccount = {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Time of the registration in everything written about it. */
  readonly at: Date;
  readonly position: Position | null;
};

/**
 * The vault comes first, then the address, then the account. A crash in between leaves a reserved
 * address, which another registration takes over, but never an account without its key or its
 * address.
 * @throws Refusal VALIDATION_ERROR, CONFLICT
 */
export async function createAccount(
  context: Pick<AccountContext, "log" | "pool" | "vault" | "emailKey" | "passwords" | "now">,
  command: Command,
  form: RegistrationForm,
  { role, unfinishedMs, failed }: AccountOptions,
): Promise<CreatedAccount> {
  const { email, password, name } = validRegistration(form);
  const passwordHash = await context.passwords.hash(password);
  const at = context.now();
  const registering = { ...context, now: () => at };
  const userId = newUserId(at, idSuffix());
  const personalKey = newPersonalKey();
  const hmac = emailHmac(context.emailKey, normaliseEmail(email));
  await storeCredentials(context.vault, { userId, personalKey, passwordHash, at });
  try {
    const reservation = { emailHmac: hmac, userId, unfinishedMs, failed };
    await reserveEmailAddress(registering, command, reservation);
    const register = (state: AccountState) =>
      registerUser(state, {
        userId,
        emailEncrypted: encryptPersonal(personalKey, email),
        nameEncrypted: encryptPersonal(personalKey, name),
        emailHmac: hmac,
        role,
      });
    const { position } = await decideOnAccount(registering, command, userId, register, {
      isNew: true,
    });
    return { userId, email, name, role, at, position };
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
