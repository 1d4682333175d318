import { changePasswordCommand } from "#services/commands/accounts/passwords.ts";
import {
  forgotPasswordCommand,
  resetPasswordCommand,
} from "#services/commands/accounts/reset-password.ts";
import type { MakeHandler } from "../make-handler.ts";
import { requirePasswords } from "./require-passwords.ts";

export const changePasswordHandler: MakeHandler<"changePassword", "context" | "openId"> =
  ({ context, openId }) =>
  async ({ command, actor, body, network }) => {
    requirePasswords(openId);
    const { userId, sessionId } = actor;
    await changePasswordCommand(context, command, { ...body, userId, sessionId, network });
    return { body: { message: "Password changed" } };
  };

const MESSAGE = "If an account with this email exists, a message with a reset link is on its way";

export const forgotPasswordHandler: MakeHandler<"forgotPassword", "context" | "openId"> =
  ({ context, openId }) =>
  async ({ command, body, network }) => {
    requirePasswords(openId);
    await forgotPasswordCommand(context, command, { email: body.email, network });
    return { body: { message: MESSAGE } };
  };

export const resetPasswordHandler: MakeHandler<"resetPassword", "context" | "openId"> =
  ({ context, openId }) =>
  async ({ command, body, network }) => {
    requirePasswords(openId);
    await resetPasswordCommand(context, command, { ...body, network });
    return { body: { message: "Password reset; sign in with the new one" } };
  };
