import type { Operations } from "#contracts/http/operations.ts";
import { submitRoleRequestCommand } from "#services/commands/accounts/role-requests.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";
import { existingRoleRequest } from "./existing-role-request.ts";

export function submitRoleRequestHandler(
  context: CommandContext,
): Handler<Operations["submitRoleRequest"]> {
  return async ({ command, actor, body }) => {
    const id = await submitRoleRequestCommand(context, command, actor.userId, body);
    return { body: { request: await existingRoleRequest(context.pool, id) } };
  };
}
