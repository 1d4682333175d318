import type { Operations } from "#contracts/http/operations.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import { resetPasswordCommand } from "#services/commands/accounts/passwords.ts";
import type { Handler } from "../../http/handler.ts";

export function resetPasswordHandler(
  context: AccountContext,
): Handler<Operations["resetPassword"]> {
  return async ({ command, body, network }) => {
    await resetPasswordCommand(context, command, { ...body, network });
    return { body: { message: "Password reset; sign in with the new one" } };
  };
}
