import type { Operations } from "#contracts/http/operations.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import { changePasswordCommand } from "#services/commands/accounts/passwords.ts";
import {
  forgotPasswordCommand,
  resetPasswordCommand,
} from "#services/commands/accounts/reset-password.ts";
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

const MESSAGE = "If an account with this email exists, a message with a reset link is on its way";

export function forgotPasswordHandler(
  context: AccountContext,
): Handler<Operations["forgotPassword"]> {
  return async ({ command, body }) => {
    await forgotPasswordCommand(context, command, body.email);
    return { body: { message: MESSAGE } };
  };
}

export function resetPasswordHandler(
  context: AccountContext,
): Handler<Operations["resetPassword"]> {
  return async ({ command, body, network }) => {
    await resetPasswordCommand(context, command, { ...body, network });
    return { body: { message: "Password reset; sign in with the new one" } };
  };
}
