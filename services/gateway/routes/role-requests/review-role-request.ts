import type { Operations } from "#contracts/http/operations.ts";
import { reviewRoleRequestCommand } from "#services/commands/accounts/role-requests.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";
import { existingRoleRequest } from "./existing-role-request.ts";

export function reviewRoleRequestHandler(
  context: CommandContext,
): Handler<Operations["reviewRoleRequest"]> {
  return async ({ command, params, body }) => {
    await reviewRoleRequestCommand(context, command, params.id, body);
    const request = await existingRoleRequest(context.pool, params.id);
    return { body: { request }, about: request.user_id };
  };
}
