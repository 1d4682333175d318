import { z } from "zod";
import { EXAMPLE } from "../example-ids.ts";
import { BODY_ERRORS, operation } from "../operation.ts";
import { givenOutShape } from "../shares.ts";
import { SessionUser } from "./accounts.ts";

const FOUND = {
  status: 302,
  schema: z.string(),
  contentTypes: ["text/plain; charset=utf-8"],
} as const;

export const beginOpenId = operation({
  method: "GET",
  path: "/api/auth/oidc",
  summary: "Begin a sign-in with the institute's account: redirects to the institute",
  tag: "Accounts",
  access: "public",
  needs: "institute",
  rate: "read",
  query: z.strictObject({
    next: z.string().optional().describe("path of this service to come back to; default /"),
  }),
  success: FOUND,
  errors: ["NOT_FOUND", "VALIDATION_ERROR", "UNAVAILABLE"],
});

export const finishOpenId = operation({
  method: "GET",
  path: "/api/auth/oidc/callback",
  summary:
    "Where the institute sends the browser back: sets the session cookie, or redirects to the page for joining an account",
  tag: "Accounts",
  access: "public",
  needs: "institute",
  rate: "sign-in",
  query: z.looseObject({}).describe("the institute's answer (OpenID Connect Core 1.0, 3.1.2.5)"),
  success: FOUND,
  errors: [
    "NOT_FOUND",
    "VALIDATION_ERROR",
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "CONFLICT",
    "UNAVAILABLE",
  ],
});

export const joinOpenId = operation({
  method: "POST",
  path: "/api/auth/oidc/join",
  summary:
    "Tie the account with the address that the institute has confirmed to the institute's account, by its password, once; answers as signing in does. Its sessions and access tokens end",
  tag: "Accounts",
  access: "public",
  needs: "institute",
  rate: "sign-in",
  body: z.object({ password: z.unknown().optional() }),
  documentedBody: z.object({ password: z.string() }),
  example: { password: EXAMPLE.password },
  success: {
    status: 200,
    schema: z.object({ user: SessionUser, token: z.string(), ...givenOutShape }),
  },
  errors: [...BODY_ERRORS, "NOT_FOUND", "UNAUTHENTICATED", "FORBIDDEN", "CONFLICT"],
});
