import type { Operations } from "#contracts/http/operations.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import { forgotPasswordCommand } from "#services/commands/accounts/passwords.ts";
import type { Handler } from "../../http/handler.ts";

const MESSAGE = "If an account with this email exists, a message with a reset link is on its way";

export function forgotPasswordHandler(
  context: AccountContext,
): Handler<Operations["forgotPassword"]> {
  return async ({ command, body }) => {
    await forgotPasswordCommand(context, command, body.email);
    return { body: { message: MESSAGE } };
  };
}
