import type { Operations } from "#contracts/http/operations.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";
import { existingUser } from "./existing-user.ts";

export function updateUserHandler(context: CommandContext): Handler<Operations["updateUser"]> {
  return async ({ command, params, body }) => {
    const { role, is_active: isActive, name } = body;
    await updateUserCommand(context, command, params.id, { role, isActive, name });
    const user = await existingUser(context.pool, params.id);
    return { body: { user }, about: user.id };
  };
}
