import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { UserDetails } from "#contracts/http/accounts.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { findUser, listUsers } from "#projections/queries/accounts/user-queries.ts";
import { deleteUserCommand } from "#services/commands/accounts/delete-user.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { isUserId } from "#services/domain/account/account-fields.ts";
import type { Handler } from "../../http/handler.ts";

export function listUsersHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["listUsers"]> {
  return async () => ({ body: { users: [...(await listUsers(pool))] } });
}

export function getUserHandler({
  pool,
}: Pick<CommandContext, "pool">): Handler<Operations["getUser"]> {
  return async ({ params }) => ({ body: { user: await existingUser(pool, params.id) } });
}

export function updateUserHandler(context: CommandContext): Handler<Operations["updateUser"]> {
  return async ({ command, params, body }) => {
    const { role, is_active: isActive, name } = body;
    await updateUserCommand(context, command, params.id, { role, isActive, name });
    const user = await existingUser(context.pool, params.id);
    return { body: { user }, about: user.id };
  };
}

export function deleteUserHandler(context: CommandContext): Handler<Operations["deleteUser"]> {
  return async ({ command, params }) => {
    await deleteUserCommand(context, command, params.id);
    return { body: { message: "User deleted" } };
  };
}

/** @throws Refusal NOT_FOUND, also for an invalid user id, which may not even be storable text */
async function existingUser(pool: CommonQueryMethods, userId: string): Promise<UserDetails> {
  const user = isUserId(userId) ? await findUser(pool, userId) : null;
  if (!user) throw new Refusal("NOT_FOUND", "User not found");
  return user;
}
