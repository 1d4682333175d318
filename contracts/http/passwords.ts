import { z } from "zod";
import { operation } from "./operation.ts";

const Message = z.object({ message: z.string() });

export const changePassword = operation({
  id: "changePassword",
  method: "POST",
  path: "/api/auth/change-password",
  summary: "Change your own password; your other sessions end",
  tag: "Accounts",
  access: "signed-in",
  rate: "sign-in",
  body: z.object({ currentPassword: z.string(), newPassword: z.string() }),
  success: { status: 200, schema: Message },
  errors: ["VALIDATION_ERROR", "INVALID_JSON", "UNSUPPORTED_MEDIA_TYPE"],
});

export const forgotPassword = operation({
  id: "forgotPassword",
  method: "POST",
  path: "/api/auth/forgot-password",
  summary: "Ask for a password reset; the answer is the same whether the address is known or not",
  tag: "Accounts",
  access: "public",
  rate: "auth",
  body: z.object({ email: z.string() }),
  success: { status: 200, schema: Message },
  errors: ["VALIDATION_ERROR", "INVALID_JSON", "UNSUPPORTED_MEDIA_TYPE"],
});

export const resetPassword = operation({
  id: "resetPassword",
  method: "POST",
  path: "/api/auth/reset-password",
  summary: "Set a new password with the token of a reset; every session of the user ends",
  tag: "Accounts",
  access: "public",
  rate: "auth",
  body: z.object({ token: z.string(), newPassword: z.string() }),
  success: { status: 200, schema: Message },
  errors: ["VALIDATION_ERROR", "INVALID_JSON", "UNSUPPORTED_MEDIA_TYPE"],
});
