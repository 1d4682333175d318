import type { Operations } from "#contracts/http/operations.ts";
import { deleteUserCommand } from "#services/commands/accounts/delete-user.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

export function deleteUserHandler(context: CommandContext): Handler<Operations["deleteUser"]> {
  return async ({ command, params }) => {
    await deleteUserCommand(context, command, params.id);
    return { body: { message: "User deleted" } };
  };
}
