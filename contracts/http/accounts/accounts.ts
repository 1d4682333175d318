import { z } from "zod";
import { Role } from "../../roles.ts";
import { EXAMPLE } from "../example-ids.ts";
import { BODY_ERRORS, operation } from "../operation.ts";
import { givenOutShape } from "../shares.ts";

export const PASSWORD_MIN = 8;
export const ADMIN_PASSWORD_MIN = 12;

/** A user in the answer to a registration (`contracts/docs/accounts.md`). */
export const User = z
  .object({
    id: z.string().describe("user_<number>_<suffix>"),
    email: z.string(),
    name: z.string(),
    role: Role,
    is_active: z.boolean(),
    email_verified: z.boolean(),
    created_at: z.string(),
  })
  .meta({ id: "User" });

export const SessionUser = z
  .object({ id: z.string(), email: z.string(), name: z.string(), role: Role })
  .meta({ id: "SessionUser" });

/** The handler checks the fields one by one, in the order of their messages. */
const Loose = z.unknown().optional();

export const register = operation({
  method: "POST",
  path: "/api/auth/register",
  summary: "Register an account with the role viewer, which an administrator may have to activate",
  tag: "Accounts",
  access: "public",
  rate: "auth",
  body: z.object({ name: Loose, email: Loose, password: Loose }),
  documentedBody: z.object({ name: z.string(), email: z.string(), password: z.string() }),
  example: { name: "Aroha Ngata", email: EXAMPLE.email, password: EXAMPLE.password },
  success: { status: 201, schema: z.object({ message: z.string(), user: User }) },
  errors: [...BODY_ERRORS, "CONFLICT", "FORBIDDEN"],
});

export const login = operation({
  method: "POST",
  path: "/api/auth/login",
  summary: "Sign in with email and password; sets the session cookie",
  tag: "Accounts",
  access: "public",
  rate: "sign-in",
  body: z.object({ email: z.string(), password: z.string() }),
  example: { email: EXAMPLE.email, password: EXAMPLE.password },
  success: { status: 200, schema: z.object({ user: SessionUser, token: z.string() }) },
  errors: [...BODY_ERRORS, "UNAUTHENTICATED"],
});

export const logout = operation({
  method: "POST",
  path: "/api/auth/logout",
  summary: "Sign out: the session is destroyed",
  tag: "Accounts",
  access: "public",
  scope: "session",
  rate: "write",
  success: { status: 200, schema: z.object({ success: z.boolean() }) },
  errors: [],
});

export const getSession = operation({
  method: "GET",
  path: "/api/auth/session",
  summary: "The session of the caller; empty when signed out",
  tag: "Accounts",
  access: "public",
  rate: "read",
  success: {
    status: 200,
    schema: z.object({ user: SessionUser.optional(), expires: z.string().optional() }),
  },
  errors: [],
});

const Message = z.object({ message: z.string() });

export const changePassword = operation({
  method: "POST",
  path: "/api/auth/change-password",
  summary: "Change your own password; your other sessions end",
  tag: "Accounts",
  access: "signed-in",
  scope: "session",
  rate: "sign-in",
  body: z.object({
    currentPassword: z.string(),
    newPassword: z.string(),
    endTokens: z.boolean().optional().describe("whether your access tokens end too; default false"),
  }),
  example: { currentPassword: EXAMPLE.password, newPassword: EXAMPLE.newPassword },
  success: {
    status: 200,
    schema: Message.extend(z.object(givenOutShape).partial().shape).describe(
      "with endTokens also what you have given out",
    ),
  },
  errors: BODY_ERRORS,
});

export const forgotPassword = operation({
  method: "POST",
  path: "/api/auth/forgot-password",
  summary: "Ask for a password reset; the answer is the same whether the address is known or not",
  tag: "Accounts",
  access: "public",
  rate: "recovery",
  body: z.object({ email: z.string() }),
  example: { email: EXAMPLE.email },
  success: { status: 200, schema: Message },
  errors: BODY_ERRORS,
});

export const resetPassword = operation({
  method: "POST",
  path: "/api/auth/reset-password",
  summary:
    "Set a new password with the token of a reset; every session and every access token of the user ends",
  tag: "Accounts",
  access: "public",
  rate: "auth",
  body: z.object({ token: z.string(), newPassword: z.string() }),
  example: { token: EXAMPLE.resetToken, newPassword: EXAMPLE.newPassword },
  success: { status: 200, schema: Message.extend(givenOutShape) },
  errors: BODY_ERRORS,
});
