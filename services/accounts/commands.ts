/** Accounts, their roles and access tokens, and groups: what changes them. */

import type { Scope } from "#contracts/access-scopes.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import type { RequestableRole } from "#contracts/events/accounts.ts";
import { groupStream } from "#contracts/events/log.ts";
import { TOKEN_NAME_MAX } from "#contracts/http/accounts.ts";
import type { Role } from "#contracts/rights.ts";
import { DAY_MS } from "#contracts/units.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import type { Position } from "#infra/log/event-log.ts";
import {
  endSessions,
  forgetUser,
  listOrphanedKeys,
  readPersonalKey,
} from "#infra/vault/credentials.ts";
import { decryptPersonal, encryptPersonal } from "#infra/vault/personal-data.ts";
import { newTokenSecret, tokenHa1, tokenSecretHash } from "#infra/vault/tokens.ts";
import { findRoleRequest, readSession, unknownUsers } from "#projections/read/accounts.ts";
import type { Reader } from "#projections/read/rights.ts";
import {
  type AccountState,
  adminNotes,
  createAccessToken,
  deleteUser,
  endAccessToken,
  endAccessTokens,
  existing,
  justification,
  reviewRoleRequest,
  submitRoleRequest,
  type UpdateUser,
  updateUser,
} from "#services/domain/accounts/account.ts";
import { isUserId, userName } from "#services/domain/accounts/fields.ts";
import {
  ABSENT,
  createGroup,
  deleteGroup,
  evolve,
  type UpdateGroup,
  updateGroup,
} from "#services/domain/accounts/group.ts";
import { shortName } from "#services/domain/texts.ts";
import { requireOwnersBeside, whileOwnersStay } from "../catalogues/commands.ts";
import type { AccountContext, Command, CommandContext } from "../context.ts";
import { createDecider } from "../streams.ts";
import {
  changeAccount,
  decideOnAccount,
  loadAccount,
  releaseEmailAddress,
  whileAdministratorsStay,
} from "./registration.ts";

export type UserChange = {
  readonly role?: Role | undefined;
  readonly isActive?: boolean | undefined;
  readonly name?: string | undefined;
};

/**
 * Changes an account's role, active state or name; resolves when the change is visible. Deactivation
 * ends the user's sessions for good.
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR, CONFLICT
 */
export async function updateUserCommand(
  context: CommandContext,
  command: Command,
  userId: string,
  change: UserChange,
): Promise<void> {
  if (!isUserId(userId)) throw new Refusal("NOT_FOUND", "User not found");
  if (Object.values(change).every((value) => value === undefined)) {
    throw new Refusal("VALIDATION_ERROR", "Nothing to change: give role, is_active or name");
  }
  const toUpdate = await updateFor(context, userId, change);
  const endAll = () => endSessions(context.pool, userId, context.now());
  // A concurrent sign-in that still saw an active account may have begun a session after the
  // deactivation.
  if (change.isActive === true && (await isDeactivated(context, userId))) await endAll();
  const decide = async (otherActiveAdministrator: boolean): Promise<Position | null> => {
    const { position } = await decideOnAccount(context, command, userId, (state) =>
      updateUser(state, toUpdate(state), { actor: command.actor, otherActiveAdministrator }),
    );
    return position;
  };
  const position = mayRemoveAdministrator(change)
    ? await whileAdministratorsStay(context, userId, decide)
    : await decide(true);
  if (change.isActive === false) await endAll();
  await context.untilVisible("users", position);
}

function mayRemoveAdministrator({ role, isActive }: UserChange): boolean {
  return isActive === false || (role !== undefined && role !== "admin");
}

async function isDeactivated(context: CommandContext, userId: string): Promise<boolean> {
  const state = await loadAccount(context, userId);
  return state.status === "existing" && !state.isActive;
}

/** The change in the domain's terms: the name is encrypted, and present only if it differs. */
async function updateFor(
  { pool }: Pick<CommandContext, "pool">,
  userId: string,
  { role, isActive, name }: UserChange,
): Promise<(state: AccountState) => UpdateUser> {
  const plain = {
    ...(role !== undefined && { role }),
    ...(isActive !== undefined && { isActive }),
  };
  if (name === undefined) return () => plain;
  const newName = userName(name);
  const key = await readPersonalKey(pool, userId);
  if (key === null) throw new Refusal("NOT_FOUND", "User not found");
  return (state) =>
    decryptPersonal(key, existing(state).nameEncrypted) === newName
      ? plain
      : { ...plain, nameEncrypted: encryptPersonal(key, newName) };
}

/**
 * Deletes an account: by the log's event it is deleted; then its address is freed; last its key is
 * destroyed. Until then the sweep finds the unfinished deletion by the key.
 * @returns how many access tokens were good still, which have ended with it
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR, CONFLICT
 */
export async function deleteUserCommand(
  context: CommandContext,
  command: Command,
  userId: string,
): Promise<number> {
  if (!isUserId(userId)) throw new Refusal("NOT_FOUND", "User not found");
  const account = existing(await loadAccount(context, userId));
  const { emailHmac } = account;
  const position = await whileAdministratorsStay(
    context,
    userId,
    async (otherActiveAdministrator) => {
      const decided = await decideOnAccount(context, command, userId, (state) =>
        deleteUser(state, { actor: command.actor, otherActiveAdministrator }),
      );
      return decided.position;
    },
  );
  await releaseEmailAddress(context, command, { emailHmac, userId });
  await forgetUser(context.pool, userId);
  await context.untilVisible("users", position);
  return endAccessTokens(account, context.now().toISOString()).length;
}

/**
 * Finishes deletions that were interrupted after their event: frees the address and destroys the
 * key. The log decides what is deleted, since a key without a row may belong to a running
 * registration.
 * @returns the number of finished deletions
 */
export async function finishDeletions(
  context: Pick<CommandContext, "log" | "pool" | "now" | "newId">,
): Promise<number> {
  let finished = 0;
  for (const userId of await listOrphanedKeys(context.pool)) {
    const state = await loadAccount(context, userId);
    if (state.status !== "deleted") continue;
    const command = { id: context.newId(), actor: "system" };
    const { emailHmac } = state;
    if (emailHmac !== null) await releaseEmailAddress(context, command, { emailHmac, userId });
    await forgetUser(context.pool, userId);
    finished += 1;
  }
  return finished;
}

/**
 * Submits a role request of `userId` and returns its id once it is visible.
 * @throws Refusal VALIDATION_ERROR, CONFLICT, NOT_FOUND
 */
export async function submitRoleRequestCommand(
  context: CommandContext,
  command: Command,
  userId: string,
  form: { readonly requestedRole: RequestableRole; readonly justification: string },
): Promise<string> {
  const { requestedRole } = form;
  const text = justification(form.justification);
  const key = await readPersonalKey(context.pool, userId);
  if (key === null) throw new Refusal("NOT_FOUND", "User not found");
  // A retried command returns the request of the first run.
  const roleRequestId = deriveEventId(command.id, "role request", 0);
  const justificationEncrypted = encryptPersonal(key, text);
  await changeAccount(context, command, userId, (state) =>
    submitRoleRequest(state, { roleRequestId, requestedRole, justificationEncrypted }),
  );
  return roleRequestId;
}

/**
 * Approves or rejects a role request; resolves when the review, and the role, are visible.
 * @param roleRequestId UUID
 * @throws Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT
 */
export async function reviewRoleRequestCommand(
  context: CommandContext,
  command: Command,
  roleRequestId: string,
  review: {
    readonly status: "approved" | "rejected";
    readonly adminNotes?: string | null | undefined;
  },
): Promise<void> {
  const notes = adminNotes(review.adminNotes);
  const request = await findRoleRequest(context.pool, roleRequestId);
  const key = request && (await readPersonalKey(context.pool, request.user_id));
  if (!request || !key) throw new Refusal("NOT_FOUND", "Role request not found");
  await changeAccount(context, command, request.user_id, (state) =>
    reviewRoleRequest(state, {
      roleRequestId,
      status: review.status,
      reviewedBy: command.actor,
      adminNotesEncrypted: notes === null ? null : encryptPersonal(key, notes),
    }),
  );
}

const changeGroup = createDecider("users", groupStream, { initial: ABSENT, evolve });

/**
 * Makes a group and returns its id once it is visible.
 * @throws Refusal MISSING_NAME, VALIDATION_ERROR
 */
export async function createGroupCommand(
  context: CommandContext,
  command: Command,
  { name, members }: Required<UpdateGroup>,
): Promise<string> {
  await requireUsers(context, members);
  const groupId = deriveEventId(command.id, "group", 0);
  await changeGroup(context, command, groupId, (state) =>
    createGroup(state, { groupId, name, members }),
  );
  return groupId;
}

/**
 * @param reader to whom a catalogue may be named
 * @throws Refusal NOT_FOUND, MISSING_NAME, VALIDATION_ERROR; CONFLICT where a catalogue would have no owner any more
 */
export async function updateGroupCommand(
  context: CommandContext,
  command: Command,
  groupId: string,
  change: UpdateGroup,
  reader: Reader,
): Promise<void> {
  const { members: kept } = change;
  const update = () =>
    changeGroup(context, command, groupId, (state) => updateGroup(state, change));
  if (kept === undefined) {
    await update();
    return;
  }
  await requireUsers(context, kept);
  await whileOwnersStay(context, async (connection) => {
    await requireOwnersBeside(connection, { groupId, kept, reader });
    await update();
  });
}

/**
 * @param reader to whom a catalogue may be named
 * @throws Refusal NOT_FOUND; CONFLICT where a catalogue would have no owner any more
 */
export function deleteGroupCommand(
  context: CommandContext,
  command: Command,
  groupId: string,
  reader: Reader,
): Promise<void> {
  return whileOwnersStay(context, async (connection) => {
    await requireOwnersBeside(connection, { groupId, kept: [], reader });
    await changeGroup(context, command, groupId, deleteGroup);
  });
}

/** @throws Refusal VALIDATION_ERROR */
async function requireUsers({ pool }: Pick<CommandContext, "pool">, ids: readonly string[]) {
  const malformed = ids.filter((id) => !isUserId(id));
  const unknown = malformed.length > 0 ? malformed : await unknownUsers(pool, ids);
  if (unknown.length > 0) throw invalid("members", "names somebody who has no account");
}

export type AccessTokenForm = {
  readonly name: string;
  readonly scopes: Scope[];
  /** Ids of catalogues; null for no limit. */
  readonly catalogues: string[] | null;
  readonly expiresInDays: number;
};

/**
 * Makes an access token of a session's user. Its secret is returned this once; only its SHA-256 and its HA1 are
 * stored.
 * @throws Refusal MISSING_NAME, VALIDATION_ERROR, FORBIDDEN, CONFLICT, NOT_FOUND, UNAUTHENTICATED
 */
export async function createAccessTokenCommand(
  context: CommandContext & Pick<AccountContext, "lookups">,
  command: Command,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  { name, scopes, catalogues, expiresInDays }: AccessTokenForm,
): Promise<{ readonly tokenId: string; readonly secret: string }> {
  const now = context.now();
  const key = await readPersonalKey(context.pool, userId);
  if (key === null) throw new Refusal("NOT_FOUND", "User not found");
  const secret = newTokenSecret();
  const tokenId = command.retried ? context.newId() : command.id;
  const token = {
    tokenId,
    nameEncrypted: encryptPersonal(key, shortName(name, TOKEN_NAME_MAX)),
    scopes,
    catalogues,
    secretHash: tokenSecretHash(secret),
    ha1Encrypted: encryptPersonal(key, tokenHa1(tokenId, secret)),
    expiresAt: new Date(now.getTime() + expiresInDays * DAY_MS).toISOString(),
    now: now.toISOString(),
    insteadOf: command.retried ? command.id : null,
  };
  // A command of its own id: a repetition makes another secret, so it may not find the first run's.
  const own = { ...command, id: tokenId, retried: false };
  await changeAccount({ ...context, now: () => now }, own, userId, (state) =>
    createAccessToken(state, token),
  );
  // Whoever reset the password meanwhile has ended the session, and after it all tokens that were made by then.
  const session = { sessionId, userId, now: context.now() };
  if ((await readSession(context.lookups, session)) === null) {
    await decideOnAccount(context, { ...command, id: context.newId() }, userId, (state) =>
      state.status === "existing" && state.tokens.has(tokenId)
        ? endAccessToken(state, tokenId)
        : [],
    );
    throw new Refusal("UNAUTHENTICATED");
  }
  return { tokenId, secret };
}

/** Ends an access token of `userId`; it is refused from then on. @throws Refusal NOT_FOUND */
export async function endAccessTokenCommand(
  context: CommandContext,
  command: Command,
  userId: string,
  tokenId: string,
): Promise<void> {
  await changeAccount(context, command, userId, (state) => endAccessToken(state, tokenId));
}
