/** Accounts as they are made: the key, the address, the account; and what an unfinished one leaves. */

import { type KeyObject, randomInt } from "node:crypto";
import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import { EventMetadata, emailStream, userStream } from "#contracts/events/log.ts";
import type { Role } from "#contracts/rights.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import type { Position } from "#infra/log/event-log.ts";
import { whileLocked } from "#infra/postgres/statements.ts";
import { forgetUser, readPersonalKey, storeCredentials } from "#infra/vault/credentials.ts";
import { emailHmac, encryptPersonal, newPersonalKey } from "#infra/vault/personal-data.ts";
import { listActiveAdministratorIds } from "#projections/read/accounts.ts";
import {
  ABSENT,
  type AccountEvent,
  type AccountState,
  closeForgotten,
  closeUnfinished,
  evolveAt,
  evolveReservation,
  FREE,
  isActiveAdministrator,
  type ReservationEvent,
  type ReservationState,
  registerUser,
  releaseEmail,
  reserveEmail,
} from "#services/domain/accounts/account.ts";
import {
  type Newcomer,
  userId as newUserId,
  normaliseEmail,
  type RegistrationForm,
  validNewcomer,
  validRegistration,
} from "#services/domain/accounts/fields.ts";
import type { AccountContext, Command, CommandContext, FailedRegistrations } from "../context.ts";
import {
  createDecider,
  type Decided,
  type DecisionModel,
  type DecisionOptions,
  decideOnStream,
  loadState,
  untilCurrent,
} from "../streams.ts";

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
  options: Pick<AccountOptions, "role" | "further"> & { readonly unfinishedMs?: number },
): Promise<CreatedAccount> {
  const { failedRegistrations: failed } = context;
  const unfinishedMs = options.unfinishedMs ?? UNFINISHED_MS;
  const account = await createAccount(context, command, person, {
    ...options,
    unfinishedMs,
    failed,
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
  const suffix = Array.from({ length: ID_SUFFIX_LENGTH }, () => randomInt(36).toString(36)).join(
    "",
  );
  const userId = newUserId(at, suffix);
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

/** Folds the stream of an email address. */
const reservationModel: DecisionModel<ReservationState, ReservationEvent> = {
  initial: FREE,
  evolve: evolveReservation,
};

type EmailReservation = {
  readonly emailHmac: string;
  readonly userId: string;
  /** Age at which a reservation without an account counts as abandoned. */
  readonly unfinishedMs: number;
  /** Users whose reservations count as abandoned at any age. */
  readonly failed?: FailedRegistrations | undefined;
};

/**
 * Reserves an address for a user, including one reserved by an abandoned registration.
 * @throws Refusal CONFLICT when the address belongs to another
 */
async function reserveEmailAddress(
  context: Pick<CommandContext, "log" | "pool" | "now">,
  command: Command,
  { emailHmac, userId, unfinishedMs, failed }: EmailReservation,
): Promise<void> {
  const reserve = (closedHolder: string | null, options?: DecisionOptions) =>
    decideOnStream(
      context,
      command,
      emailStream(emailHmac),
      reservationModel,
      (state) => reserveEmail(state, { emailHmac, userId, closedHolder }),
      options,
    );
  try {
    // Most addresses in registrations are new.
    await reserve(null, { isNew: true });
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const holder = await leftBehind(context, { emailHmac, unfinishedMs, failed });
    if (holder === null) throw refusal;
    await closeAccount(context, command, holder);
    await reserve(holder.userId);
  }
}

/** A user whose address may be taken; `isForgotten` when the user's key was lost. */
type Holder = { readonly userId: string; readonly isForgotten: boolean };

/**
 * The holder of the address, if the reservation comes from an abandoned, unfinished registration or
 * from an account without a key: a registration stores the key before it reserves the address.
 */
async function leftBehind(
  { log, pool, now }: Pick<CommandContext, "log" | "pool" | "now">,
  { emailHmac, unfinishedMs, failed }: Omit<EmailReservation, "userId">,
): Promise<Holder | null> {
  const stream = emailStream(emailHmac);
  const { state, revision } = await loadState(log, stream, reservationModel);
  if (state.holder === null) return null;
  const isForgotten = (await readPersonalKey(pool, state.holder)) === null;
  const holder = { userId: state.holder, isForgotten };
  if (isForgotten || failed?.has(state.holder)) return holder;
  const [reserved] = await log.read(stream, revision, 1);
  const { at } = EventMetadata.parse(reserved?.metadata);
  // Clocks of two processes differ, so a negative age counts as 0.
  const ageMs = Math.max(0, now().getTime() - Date.parse(at));
  return ageMs >= unfinishedMs ? holder : null;
}

/** @throws Refusal CONFLICT when the account exists */
async function closeAccount(
  context: Pick<CommandContext, "log" | "pool" | "now">,
  command: Command,
  { userId, isForgotten }: Holder,
): Promise<void> {
  const close = isForgotten ? closeForgotten : closeUnfinished;
  await decideOnAccount(context, command, userId, (state) => close(state, userId));
  await forgetUser(context.pool, userId);
}

/** Frees the address of a deleted account, unless it is free or belongs to another already. */
export async function releaseEmailAddress(
  context: Pick<CommandContext, "log" | "now">,
  command: Command,
  { emailHmac, userId }: { readonly emailHmac: string; readonly userId: string },
): Promise<void> {
  await decideOnStream(context, command, emailStream(emailHmac), reservationModel, (state) =>
    releaseEmail(state, { emailHmac, userId }),
  );
}

/** Whether there is an administrator, as far as the read model knows. */
export async function hasAdministrator({ pool }: Pick<AccountContext, "pool">): Promise<boolean> {
  return (await listActiveAdministratorIds(pool)).length > 0;
}

/** @returns what there is to refuse once the service has an administrator */
export function alreadySetUp(): Refusal {
  return new Refusal("NOT_FOUND", "The service is set up");
}

/**
 * Creates an administrator where there is none, and returns the account once it is visible. Of two at
 * the same moment, through whatever gateways, one comes second.
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR, CONFLICT
 */
export async function createFirstAdministratorCommand(
  context: AccountContext,
  command: Command,
  form: RegistrationForm,
): Promise<CreatedAccount> {
  return whileAdministratorsStay(context, "", async () => {
    // Whoever came first is visible here, too.
    await untilCurrent(context, "users", await context.log.head());
    if (await hasAdministrator(context)) throw alreadySetUp();
    const bySystem = { id: command.id, actor: "system" };
    const options = { role: "admin", unfinishedMs: 0 } as const;
    return createVisibleAccount(context, bySystem, validRegistration(form), options);
  });
}

/** Any fixed number, unique among the service's advisory locks. */
export const ADMINISTRATORS_LOCK = "2854901137640225";

/**
 * Runs `work` while no other caller can demote or deactivate an administrator, and tells it whether
 * there is an active one besides `userId`. Of two administrators who demote each other, one
 * therefore comes second.
 */
export function whileAdministratorsStay<T>(
  context: Pick<CommandContext, "log" | "pool">,
  userId: string,
  work: (otherActiveAdministrator: boolean) => Promise<T>,
): Promise<T> {
  return whileLocked(context.pool, ADMINISTRATORS_LOCK, async (connection) =>
    work(await hasOtherActiveAdministrator(context, connection, userId)),
  );
}

/**
 * The read model suggests candidates and may lag; the log decides. A candidate found in the log
 * stays one under the lock. A promotion that is not visible yet does not count.
 */
async function hasOtherActiveAdministrator(
  context: Pick<CommandContext, "log">,
  connection: CommonQueryMethods,
  userId: string,
): Promise<boolean> {
  for (const candidate of await listActiveAdministratorIds(connection)) {
    if (candidate === userId) continue;
    if (isActiveAdministrator(await loadAccount(context, candidate))) return true;
  }
  return false;
}

const accountModel: DecisionModel<AccountState, AccountEvent> = {
  initial: ABSENT,
  evolve: evolveAt,
};

/** Decides on one account and appends the events. */
export function decideOnAccount(
  context: Pick<CommandContext, "log" | "now">,
  command: Command,
  userId: string,
  decide: (state: AccountState) => readonly AccountEvent[],
  options?: DecisionOptions,
): Promise<Decided<AccountState, AccountEvent>> {
  return decideOnStream(context, command, userStream(userId), accountModel, decide, options);
}

/** The same; resolves when the change can be read. */
export const changeAccount = createDecider("users", userStream, accountModel);

/** The account by the log's present state, independent of the read model. */
export async function loadAccount(
  context: Pick<CommandContext, "log">,
  userId: string,
): Promise<AccountState> {
  const { state } = await loadState(context.log, userStream(userId), accountModel);
  return state;
}

/** @param max users; beyond them the one added longest ago is evicted */
export function createFailedRegistrations(max: number): FailedRegistrations {
  const users = createRecent<true>(max);
  return {
    has: (userId) => users.get(userId) === true,
    add: (userId) => void users.keep(userId, true),
  };
}
