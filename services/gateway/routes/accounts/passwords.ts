import { Refusal } from "#contracts/errors.ts";
import { findUser } from "#projections/queries/accounts/user-queries.ts";
import { changePasswordCommand } from "#services/commands/accounts/passwords.ts";
import {
  forgotPasswordCommand,
  resetPasswordCommand,
} from "#services/commands/accounts/reset-password.ts";
import type { MakeHandler } from "../make-handler.ts";
import { givenOut } from "./given-out.ts";
import { requirePasswords } from "./require-passwords.ts";

export const changePasswordHandler: MakeHandler<"changePassword", "context" | "openId"> =
  ({ context, openId }) =>
  async ({ command, actor, body, network }) => {
    requirePasswords(openId);
    const { userId, sessionId, role } = actor;
    const { endTokens = false } = body;
    const change = { ...body, endTokens, userId, sessionId, network };
    const tokensEnded = await changePasswordCommand(context, command, change);
    const message = "Password changed";
    if (!endTokens) return { body: { message } };
    return { body: { message, ...(await givenOut(context, tokensEnded, { id: userId, role })) } };
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
    const reset = await resetPasswordCommand(context, command, { ...body, network });
    const user = await findUser(context.lookups, reset.userId);
    if (user === null) throw new Refusal("NOT_FOUND", "User not found");
    const message = "Password reset; sign in with the new one";
    return { body: { message, ...(await givenOut(context, reset.tokensEnded, user)) } };
  };
