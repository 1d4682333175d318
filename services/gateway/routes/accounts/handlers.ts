import type { CommonQueryMethods } from "slonik";
import { invalid, Refusal } from "#contracts/errors.ts";
import type { RoleRequest } from "#contracts/http/accounts/role-requests.ts";
import type { Group } from "#contracts/http/groups.ts";
import type { Config } from "#infra/config/config.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import {
  findGroup,
  findRoleRequest,
  findUser,
  listAccessTokens,
  listGroups,
  listRoleRequests,
  listRoleRequestsOf,
  ownerOfToken,
} from "#projections/read/accounts.ts";
import { type Reader, thereAmong } from "#projections/read/rights.ts";
import {
  createAccessTokenCommand,
  endAccessTokenCommand,
} from "#services/commands/accounts/access-tokens.ts";
import {
  createGroupCommand,
  deleteGroupCommand,
  updateGroupCommand,
} from "#services/commands/accounts/groups.ts";
import { changePasswordCommand } from "#services/commands/accounts/passwords.ts";
import {
  forgotPasswordCommand,
  resetPasswordCommand,
} from "#services/commands/accounts/reset-password.ts";
import {
  reviewRoleRequestCommand,
  submitRoleRequestCommand,
} from "#services/commands/accounts/role-requests.ts";
import { isUserId } from "#services/domain/accounts/fields.ts";
import { requireAdministrator } from "../../auth/authorise.ts";
import { following } from "../../http/answer-body.ts";
import { room } from "../../http/room.ts";
import type { MakeHandler } from "../make-handler.ts";
import { givenOut } from "./given-out.ts";
import { registerHandler } from "./register.ts";
import { getSessionHandler, loginHandler, logoutHandler } from "./sessions.ts";
import {
  createUserHandler,
  deleteUserHandler,
  getUserHandler,
  listUsersHandler,
  updateUserHandler,
} from "./users.ts";

const createTokenHandler: MakeHandler<"createToken", "context" | "lookups"> =
  ({ context, lookups }) =>
  async ({ command, actor, reader, body }) => {
    const { userId } = actor;
    const { name, scopes, expiresInDays, catalogues = null } = body;
    await requireThere(lookups, catalogues ?? [], reader);
    const form = { name, scopes, catalogues, expiresInDays };
    const made = await createAccessTokenCommand(context, command, actor, form);
    const tokens = await listAccessTokens(context.pool, userId);
    const token = tokens.find(({ id }) => id === made.tokenId);
    if (token === undefined) throw new Refusal("NOT_FOUND", "The access token was ended meanwhile");
    return {
      body: { token, secret: made.secret },
      headers: { location: "/api/tokens" },
      isSecret: true,
    };
  };

/** @throws Refusal VALIDATION_ERROR for a catalogue that is not there for the reader */
async function requireThere(
  lookups: Lookups,
  ids: readonly string[],
  reader: Reader,
): Promise<void> {
  const there = await thereAmong(lookups, ids, reader);
  const missing = ids.find((id) => !there.has(id));
  if (missing !== undefined) throw invalid("catalogues", `there is no catalogue ${missing}`);
}

const listTokensHandler: MakeHandler<"listTokens", "pool" | "lookups"> =
  ({ pool, lookups }) =>
  async ({ actor, query: { user } }) => {
    if (user !== undefined) {
      requireAdministrator(actor);
      if (!isUserId(user) || (await findUser(lookups, user)) === null) {
        throw new Refusal("NOT_FOUND", "User not found");
      }
    }
    return { body: { tokens: [...(await listAccessTokens(pool, user ?? actor.userId))] } };
  };

const endTokenHandler: MakeHandler<"endToken", "context" | "lookups"> =
  ({ context, lookups }) =>
  async ({ command, actor, params }) => {
    const owner = await ownerOfToken(lookups, params.id);
    const isThere = owner === actor.userId || (owner !== null && actor.role === "admin");
    if (owner === null || !isThere) throw new Refusal("NOT_FOUND", "Access token not found");
    await endAccessTokenCommand(context, command, owner, params.id);
    return { body: { success: true } };
  };

const listGroupsHandler: MakeHandler<"listGroups", "pool"> =
  ({ pool }) =>
  async () => ({ body: { groups: [...(await listGroups(pool))] } });

const getGroupHandler: MakeHandler<"getGroup", "pool"> =
  ({ pool }) =>
  async ({ params }) => ({ body: { group: await existingGroup(pool, params.id) } });

const createGroupHandler: MakeHandler<"createGroup"> =
  ({ context }) =>
  async ({ command, body }) => {
    const id = await createGroupCommand(context, command, body);
    const group = await existingGroup(context.pool, id);
    return { body: { group }, headers: { location: `/api/groups/${id}` } };
  };

const updateGroupHandler: MakeHandler<"updateGroup"> =
  ({ context }) =>
  async ({ command, params, body: { name, members }, reader }) => {
    const change = {
      ...(name !== undefined && { name }),
      ...(members !== undefined && { members }),
    };
    await updateGroupCommand(context, command, params.id, change, reader);
    return { body: { group: await existingGroup(context.pool, params.id) } };
  };

const deleteGroupHandler: MakeHandler<"deleteGroup"> =
  ({ context }) =>
  async ({ command, params, reader }) => {
    await deleteGroupCommand(context, command, params.id, reader);
    return { body: { success: true } };
  };

/** @throws Refusal NOT_FOUND */
async function existingGroup(pool: CommonQueryMethods, id: string): Promise<Group> {
  const group = await findGroup(pool, id);
  if (group === null) throw new Refusal("NOT_FOUND", "Group not found");
  return group;
}

const submitRoleRequestHandler: MakeHandler<"submitRoleRequest"> =
  ({ context }) =>
  async ({ command, actor, body }) => {
    const id = await submitRoleRequestCommand(context, command, actor.userId, body);
    return { body: { request: await existingRoleRequest(context.pool, id) } };
  };

const listOwnRoleRequestsHandler: MakeHandler<"listOwnRoleRequests", "pool"> =
  ({ pool }) =>
  async ({ actor }) => ({
    body: { requests: [...(await listRoleRequestsOf(pool, actor.userId))] },
  });

const listRoleRequestsHandler: MakeHandler<"listRoleRequests", "pool"> =
  ({ pool }) =>
  async ({ query }) => {
    const { rows, nextCursor } = await listRoleRequests(pool, query);
    return { body: { requests: [...rows], ...following(nextCursor) } };
  };

const reviewRoleRequestHandler: MakeHandler<"reviewRoleRequest"> =
  ({ context }) =>
  async ({ command, params, body }) => {
    await reviewRoleRequestCommand(context, command, params.id, body);
    const request = await existingRoleRequest(context.pool, params.id);
    return { body: { request }, about: request.user_id };
  };

/** @throws Refusal NOT_FOUND */
async function existingRoleRequest(pool: CommonQueryMethods, id: string): Promise<RoleRequest> {
  const request = await findRoleRequest(pool, id);
  if (!request) throw new Refusal("NOT_FOUND", "Role request not found");
  return request;
}

const changePasswordHandler: MakeHandler<"changePassword", "context" | "openId"> =
  ({ context, openId }) =>
  async ({ command, actor, body, network }) => {
    requirePasswords(openId);
    const { userId, sessionId, role } = actor;
    const { endTokens = false } = body;
    const change = { ...body, endTokens, userId, sessionId, network };
    const tokensEnded = await changePasswordCommand(context, command, change);
    const message = "Password changed";
    if (!endTokens) return { body: { message } };
    return { body: { message, ...(await givenOut(context, tokensEnded, { id: userId, role })) } };
  };

const MESSAGE = "If an account with this email exists, a message with a reset link is on its way";

const forgotPasswordHandler: MakeHandler<"forgotPassword", "context" | "openId"> =
  ({ context, openId }) =>
  async ({ command, body, network }) => {
    requirePasswords(openId);
    await forgotPasswordCommand(context, command, { email: body.email, network });
    return { body: { message: MESSAGE } };
  };

const resetPasswordHandler: MakeHandler<"resetPassword", "context" | "openId"> =
  ({ context, openId }) =>
  async ({ command, body, network }) => {
    requirePasswords(openId);
    const reset = await resetPasswordCommand(context, command, { ...body, network });
    const user = await findUser(context.lookups, reset.userId);
    if (user === null) throw new Refusal("NOT_FOUND", "User not found");
    const message = "Password reset; sign in with the new one";
    return { body: { message, ...(await givenOut(context, reset.tokensEnded, user)) } };
  };

/** @throws Refusal FORBIDDEN where people sign in at their institute alone */
function requirePasswords(openId: Config["openId"]): void {
  if (!openId?.only) return;
  throw new Refusal(
    "FORBIDDEN",
    "There are no passwords here: sign in with your institute's account",
  );
}

export const handlersOfAccounts = room({
  register: registerHandler,
  login: loginHandler,
  logout: logoutHandler,
  getSession: getSessionHandler,
  changePassword: changePasswordHandler,
  forgotPassword: forgotPasswordHandler,
  resetPassword: resetPasswordHandler,
  listUsers: listUsersHandler,
  createUser: createUserHandler,
  getUser: getUserHandler,
  updateUser: updateUserHandler,
  deleteUser: deleteUserHandler,
  createToken: createTokenHandler,
  listTokens: listTokensHandler,
  endToken: endTokenHandler,
  listGroups: listGroupsHandler,
  getGroup: getGroupHandler,
  createGroup: createGroupHandler,
  updateGroup: updateGroupHandler,
  deleteGroup: deleteGroupHandler,
  submitRoleRequest: submitRoleRequestHandler,
  listOwnRoleRequests: listOwnRoleRequestsHandler,
  listRoleRequests: listRoleRequestsHandler,
  reviewRoleRequest: reviewRoleRequestHandler,
});
