import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { UserDetails } from "#contracts/http/accounts/users.ts";
import { findUser, listUsers } from "#projections/read/accounts.ts";
import { deleteUserCommand } from "#services/commands/accounts/delete-user.ts";
import { inviteUserCommand } from "#services/commands/accounts/register-user.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import { isUserId } from "#services/domain/accounts/fields.ts";
import { following } from "../../http/answer-body.ts";
import type { MakeHandler } from "../make-handler.ts";
import { givenOut } from "./given-out.ts";

export const listUsersHandler: MakeHandler<"listUsers", "pool"> =
  ({ pool }) =>
  async ({ query }) => {
    const { rows, nextCursor } = await listUsers(pool, query);
    return { body: { users: [...rows], ...following(nextCursor) } };
  };

export const createUserHandler: MakeHandler<"createUser", "context" | "openId"> =
  ({ context, openId }) =>
  async ({ command, body }) => {
    const isMailed = !openId?.only;
    const { userId } = await inviteUserCommand(context, command, { ...body, isMailed });
    const user = await existingUser(context.pool, userId);
    return { body: { user }, headers: { location: `/api/users/${userId}` }, about: userId };
  };

export const getUserHandler: MakeHandler<"getUser", "pool"> =
  ({ pool }) =>
  async ({ params }) => ({ body: { user: await existingUser(pool, params.id) } });

export const updateUserHandler: MakeHandler<"updateUser"> =
  ({ context }) =>
  async ({ command, params, body }) => {
    const { role, is_active: isActive, name } = body;
    await updateUserCommand(context, command, params.id, { role, isActive, name });
    const user = await existingUser(context.pool, params.id);
    return { body: { user }, about: user.id };
  };

export const deleteUserHandler: MakeHandler<"deleteUser"> =
  ({ context }) =>
  async ({ command, params, reader }) => {
    const user = await existingUser(context.pool, params.id);
    const tokensEnded = await deleteUserCommand(context, command, params.id);
    const left = await givenOut(context, tokensEnded, user, reader);
    return { body: { message: "User deleted", ...left } };
  };

/** @throws Refusal NOT_FOUND, also for an invalid user id, which may not even be storable text */
async function existingUser(pool: CommonQueryMethods, userId: string): Promise<UserDetails> {
  const user = isUserId(userId) ? await findUser(pool, userId) : null;
  if (!user) throw new Refusal("NOT_FOUND", "User not found");
  return user;
}
