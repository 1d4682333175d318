import type { CommonQueryMethods } from "slonik";
import type { z } from "zod";
import { invalid, Refusal } from "#contracts/errors.ts";
import {
  FirstAdministrator,
  type Group,
  type RoleRequest,
  type User,
  type UserDetails,
} from "#contracts/http/accounts.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import type { Config } from "#infra/config/config.ts";
import { validate } from "#infra/json/validation.ts";
import { type Asker, staying } from "#infra/kernel/fair-queue.ts";
import { LogMismatch } from "#infra/log/event-log.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { isSetupCode } from "#infra/vault/tokens.ts";
import { NotVisibleYet } from "#projections/engine/progress.ts";
import {
  findGroup,
  findRoleRequest,
  findUser,
  listAccessTokens,
  listGroups,
  listRoleRequests,
  listRoleRequestsOf,
  listUsers,
  ownerOfToken,
} from "#projections/read/accounts.ts";
import { type Reader, thereAmong } from "#projections/read/rights.ts";
import { loadSampleCommand } from "#services/catalogues/commands.ts";
import type { AccountContext, Command } from "#services/context.ts";
import { isUserId } from "#services/domain/accounts/fields.ts";
import { sampleCatalogue } from "#services/domain/catalogues/sample.ts";
import { requireAdministrator } from "../access.ts";
import { createFromBody } from "../catalogues/handlers.ts";
import { RegistrationError } from "../errors.ts";
import type { SubmissionDeps } from "../events/commands.ts";
import { type Call, following, type Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import {
  createAccessTokenCommand,
  createGroupCommand,
  deleteGroupCommand,
  deleteUserCommand,
  endAccessTokenCommand,
  reviewRoleRequestCommand,
  submitRoleRequestCommand,
  updateGroupCommand,
  updateUserCommand,
} from "./commands.ts";
import { changePasswordCommand, forgotPasswordCommand, resetPasswordCommand } from "./passwords.ts";
import {
  alreadySetUp,
  type CreatedAccount,
  createFirstAdministratorCommand,
  hasAdministrator,
  inviteUserCommand,
  registerUserCommand,
} from "./registration.ts";
import { createSignIn, givenOut, handlersOfSessions } from "./sessions.ts";

export function handlersOfAccounts(deps: HandlerDeps) {
  const { context, registration, openId, pool, lookups } = deps;
  return {
    register: async (call) => {
      if (registration === "closed" || openId?.only)
        throw new RegistrationError(403, "Registration is closed");
      const user = await register(context, call, registration).catch((error: unknown) => {
        throw registrationError(error);
      });
      return { body: { message: user.is_active ? REGISTERED : AWAITS_APPROVAL, user } };
    },

    ...handlersOfSessions(deps),

    changePassword: async ({ command, actor, body, network }) => {
      requirePasswords(openId);
      const { userId, sessionId, role } = actor;
      const { endTokens = false } = body;
      const change = { ...body, endTokens, userId, sessionId, network };
      const tokensEnded = await changePasswordCommand(context, command, change);
      const message = "Password changed";
      if (!endTokens) return { body: { message } };
      return { body: { message, ...(await givenOut(context, tokensEnded, { id: userId, role })) } };
    },

    forgotPassword: async ({ command, body, network }) => {
      requirePasswords(openId);
      await forgotPasswordCommand(context, command, { email: body.email, network });
      return { body: { message: MESSAGE } };
    },

    resetPassword: async ({ command, body, network }) => {
      requirePasswords(openId);
      const reset = await resetPasswordCommand(context, command, { ...body, network });
      const user = await findUser(context.lookups, reset.userId);
      if (user === null) throw new Refusal("NOT_FOUND", "User not found");
      const message = "Password reset; sign in with the new one";
      return { body: { message, ...(await givenOut(context, reset.tokensEnded, user)) } };
    },

    listUsers: async ({ query }) => {
      const { rows, nextCursor } = await listUsers(pool, query);
      return { body: { users: [...rows], ...following(nextCursor) } };
    },

    createUser: async ({ command, body }) => {
      const isMailed = !openId?.only;
      const { userId } = await inviteUserCommand(context, command, { ...body, isMailed });
      const user = await existingUser(context.pool, userId);
      return { body: { user }, headers: { location: `/api/users/${userId}` }, about: userId };
    },

    getUser: async ({ params }) => ({ body: { user: await existingUser(pool, params.id) } }),

    updateUser: async ({ command, params, body }) => {
      const { role, is_active: isActive, name } = body;
      await updateUserCommand(context, command, params.id, { role, isActive, name });
      const user = await existingUser(context.pool, params.id);
      return { body: { user }, about: user.id };
    },

    deleteUser: async ({ command, params, reader }) => {
      const user = await existingUser(context.pool, params.id);
      const tokensEnded = await deleteUserCommand(context, command, params.id);
      const left = await givenOut(context, tokensEnded, user, reader);
      return { body: { message: "User deleted", ...left } };
    },

    createToken: async ({ command, actor, reader, body }) => {
      const { userId } = actor;
      const { name, scopes, expiresInDays, catalogues = null } = body;
      await requireThere(lookups, catalogues ?? [], reader);
      const form = { name, scopes, catalogues, expiresInDays };
      const made = await createAccessTokenCommand(context, command, actor, form);
      const tokens = await listAccessTokens(context.pool, userId);
      const token = tokens.find(({ id }) => id === made.tokenId);
      if (token === undefined)
        throw new Refusal("NOT_FOUND", "The access token was ended meanwhile");
      return {
        body: { token, secret: made.secret },
        headers: { location: "/api/tokens" },
        isSecret: true,
      };
    },

    listTokens: async ({ actor, query: { user } }) => {
      if (user !== undefined) {
        requireAdministrator(actor);
        if (!isUserId(user) || (await findUser(lookups, user)) === null) {
          throw new Refusal("NOT_FOUND", "User not found");
        }
      }
      return { body: { tokens: [...(await listAccessTokens(pool, user ?? actor.userId))] } };
    },

    endToken: async ({ command, actor, params }) => {
      const owner = await ownerOfToken(lookups, params.id);
      const isThere = owner === actor.userId || (owner !== null && actor.role === "admin");
      if (owner === null || !isThere) throw new Refusal("NOT_FOUND", "Access token not found");
      await endAccessTokenCommand(context, command, owner, params.id);
      return { body: { success: true } };
    },

    listGroups: async () => ({ body: { groups: [...(await listGroups(pool))] } }),

    getGroup: async ({ params }) => ({ body: { group: await existingGroup(pool, params.id) } }),

    createGroup: async ({ command, body }) => {
      const id = await createGroupCommand(context, command, body);
      const group = await existingGroup(context.pool, id);
      return { body: { group }, headers: { location: `/api/groups/${id}` } };
    },

    updateGroup: async ({ command, params, body: { name, members }, reader }) => {
      const change = {
        ...(name !== undefined && { name }),
        ...(members !== undefined && { members }),
      };
      await updateGroupCommand(context, command, params.id, change, reader);
      return { body: { group: await existingGroup(context.pool, params.id) } };
    },

    deleteGroup: async ({ command, params, reader }) => {
      await deleteGroupCommand(context, command, params.id, reader);
      return { body: { success: true } };
    },

    submitRoleRequest: async ({ command, actor, body }) => {
      const id = await submitRoleRequestCommand(context, command, actor.userId, body);
      return { body: { request: await existingRoleRequest(context.pool, id) } };
    },

    listOwnRoleRequests: async ({ actor }) => ({
      body: { requests: [...(await listRoleRequestsOf(pool, actor.userId))] },
    }),

    listRoleRequests: async ({ query }) => {
      const { rows, nextCursor } = await listRoleRequests(pool, query);
      return { body: { requests: [...rows], ...following(nextCursor) } };
    },

    reviewRoleRequest: async ({ command, params, body }) => {
      await reviewRoleRequestCommand(context, command, params.id, body);
      const request = await existingRoleRequest(context.pool, params.id);
      return { body: { request }, about: request.user_id };
    },
  } satisfies Partial<Handlers>;
}

export const handlersOfSetup = (deps: HandlerDeps) =>
  ({
    loadSetupSample: async ({ body, command, asker }) => {
      await requireCode(deps, body.code);
      return loadSample(deps, { ...command, actor: "system" }, asker);
    },

    createFirstAdministrator: createFirstAdministratorHandler(deps),

    loadSample: ({ command, asker }) => loadSample(deps, command, asker),
  }) satisfies Partial<Handlers>;

/** @throws Refusal VALIDATION_ERROR for a catalogue that is not there for the reader */
async function requireThere(lookups: Lookups, ids: readonly string[], reader: Reader) {
  const there = await thereAmong(lookups, ids, reader);
  const missing = ids.find((id) => !there.has(id));
  if (missing !== undefined) throw invalid("catalogues", `there is no catalogue ${missing}`);
}

/** @throws Refusal NOT_FOUND */
async function existingGroup(pool: CommonQueryMethods, id: string): Promise<Group> {
  const group = await findGroup(pool, id);
  if (group === null) throw new Refusal("NOT_FOUND", "Group not found");
  return group;
}

/** @throws Refusal NOT_FOUND */
async function existingRoleRequest(pool: CommonQueryMethods, id: string): Promise<RoleRequest> {
  const request = await findRoleRequest(pool, id);
  if (!request) throw new Refusal("NOT_FOUND", "Role request not found");
  return request;
}

const MESSAGE = "If an account with this email exists, a message with a reset link is on its way";

/** @throws Refusal FORBIDDEN where people sign in at their institute alone */
function requirePasswords(openId: Config["openId"]): void {
  if (!openId?.only) return;
  throw new Refusal(
    "FORBIDDEN",
    "There are no passwords here: sign in with your institute's account",
  );
}

const AWAITS_APPROVAL = "User registered; an administrator has to activate the account";

const REGISTERED = "User registered successfully";

/** @throws Refusal NOT_FOUND, also for an invalid user id, which may not even be storable text */
async function existingUser(pool: CommonQueryMethods, userId: string): Promise<UserDetails> {
  const user = isUserId(userId) ? await findUser(pool, userId) : null;
  if (!user) throw new Refusal("NOT_FOUND", "User not found");
  return user;
}

async function register(
  context: AccountContext,
  { command, body }: Call<Operations["register"]>,
  registration: Config["registration"],
): Promise<z.infer<typeof User>> {
  const awaitsApproval = registration === "approval";
  return userOf(await registerUserCommand(context, command, body, awaitsApproval));
}

/** A new account as its answer shows it. */
function userOf(account: CreatedAccount): z.infer<typeof User> {
  const { userId: id, email, name, role, isActive, at } = account;
  return {
    id,
    email,
    name,
    role,
    is_active: isActive,
    email_verified: false,
    created_at: at.toISOString(),
  };
}

/**
 * Converts an error to a registration error with its fixed sentence; faults reveal nothing. Errors
 * that are 503 for every change are returned unchanged.
 */
function registrationError(error: unknown): Error {
  if (error instanceof NotVisibleYet || error instanceof LogMismatch) return error;
  if (error instanceof Refusal && error.code === "VALIDATION_ERROR") {
    return new RegistrationError(400, error.message);
  }
  if (error instanceof Refusal && error.code === "CONFLICT") {
    return new RegistrationError(409, error.message);
  }
  return new RegistrationError(500, "Registration failed", { cause: error });
}

/** @throws Refusal NOT_FOUND where there is nothing to set up, FORBIDDEN for a wrong code */
async function requireCode({ context, setupCode }: HandlerDeps, code: unknown): Promise<void> {
  if (setupCode === null || (await hasAdministrator(context))) throw alreadySetUp();
  if (!isSetupCode(code, setupCode)) throw new Refusal("FORBIDDEN", "The code is not right");
}

async function loadSample(deps: SubmissionDeps, command: Command, asker: Asker) {
  const body = Buffer.from(JSON.stringify(sampleCatalogue()));
  const catalogueId = await loadSampleCommand(deps.context, command, async (creation) => {
    const run = { ...staying(asker), onProgress: () => undefined };
    const { id } = await createFromBody(deps, creation, body, run);
    return id;
  });
  return { body: { catalogueId }, headers: { location: `/api/catalogues/${catalogueId}` } };
}

const createFirstAdministratorHandler: (deps: HandlerDeps) => Handlers["createFirstAdministrator"] =
  (deps) => {
    const signIn = createSignIn(deps);
    return async ({ body, command, network }) => {
      await requireCode(deps, body.code);
      const form = validate(FirstAdministrator, body);
      const account = await createFirstAdministratorCommand(deps.context, command, form);
      deps.context.logger.info({ userId: account.userId }, "first administrator created");
      const signedIn = await signIn({ ...form, network });
      return {
        body: { user: userOf(account) },
        ...(signedIn && { headers: { "set-cookie": signedIn.cookie } }),
      };
    };
  };
