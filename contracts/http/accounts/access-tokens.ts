import { z } from "zod";
import { SCOPES } from "../../access-scopes.ts";
import { Id } from "../catalogue.ts";
import { BODY_ERRORS, operation } from "../operation.ts";

export const TOKEN_NAME_MAX = 100;
const TOKEN_DAYS_MAX = 366;
const TOKEN_DAYS = 90;
const TOKEN_CATALOGUES_MAX = 100;

export const AccessToken = z
  .object({
    id: z.uuid(),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    catalogues: z.array(z.uuid()).nullable().describe("null: all that its owner has"),
    created_at: z.string(),
    expires_at: z.string(),
    last_used: z.string().nullable().describe("to the minute; null: never"),
  })
  .meta({ id: "AccessToken" });
export type AccessToken = z.infer<typeof AccessToken>;

export const createToken = operation({
  method: "POST",
  path: "/api/tokens",
  summary: "Make an access token for a script; its secret is in this answer alone",
  tag: "Access tokens",
  access: "signed-in",
  scope: "session",
  rate: "write",
  body: z.object({
    name: z.string().describe(`one line of at most ${TOKEN_NAME_MAX} characters`),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .max(16)
      .transform((scopes) => [...new Set(scopes)])
      .describe(
        "write includes read, admin both; metrics is for /metrics alone. None above your role: write is for editors, admin and metrics for administrators",
      ),
    catalogues: z
      .array(Id)
      .min(1)
      .max(TOKEN_CATALOGUES_MAX)
      .transform((ids) => [...new Set(ids)])
      .nullish()
      .describe("the only catalogues that are there for it; default: all that its owner has"),
    expiresInDays: z.int().min(1).max(TOKEN_DAYS_MAX).default(TOKEN_DAYS),
  }),
  example: { name: "Nightly download", scopes: ["read"], expiresInDays: 30 },
  success: { status: 201, schema: z.object({ token: AccessToken, secret: z.string() }) },
  errors: [...BODY_ERRORS, "CONFLICT"],
});

export const listTokens = operation({
  method: "GET",
  path: "/api/tokens",
  summary: "Your access tokens, newest first; expired ones too, ended ones not",
  tag: "Access tokens",
  access: "signed-in",
  rate: "read",
  query: z.strictObject({
    user: z.string().optional().describe("id of another user, for administrators"),
  }),
  success: { status: 200, schema: z.object({ tokens: z.array(AccessToken) }) },
  errors: ["VALIDATION_ERROR", "FORBIDDEN", "NOT_FOUND"],
});

export const endToken = operation({
  method: "DELETE",
  path: "/api/tokens/:id",
  summary: "End an access token at once: your own, as an administrator anybody's",
  tag: "Access tokens",
  access: "signed-in",
  rate: "write",
  params: z.object({ id: Id }),
  success: { status: 200, schema: z.object({ success: z.boolean() }) },
  errors: ["NOT_FOUND"],
});
