import type { Operations } from "#contracts/http/operations.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import { changePasswordCommand } from "#services/commands/accounts/passwords.ts";
import type { Handler } from "../../http/handler.ts";

export function changePasswordHandler(
  context: AccountContext,
): Handler<Operations["changePassword"]> {
  return async ({ command, actor, body, network }) => {
    const { userId, sessionId } = actor;
    await changePasswordCommand(context, command, { ...body, userId, sessionId, network });
    return { body: { message: "Password changed" } };
  };
}
