import { z } from "zod";
import { CatalogueParams, Id } from "./catalogue.ts";
import { BODY_ERRORS, operation } from "./operation.ts";

export const SHARE_LABEL_MAX = 100;
const SHARE_DAYS_MAX = 3650;

export const Share = z
  .object({
    id: z.uuid(),
    label: z.string().nullable(),
    created_at: z.string(),
    expires_at: z.string().nullable().describe("null: it does not expire"),
    last_used: z.string().nullable().describe("to the minute; null: never"),
  })
  .meta({ id: "Share" });
export type Share = z.infer<typeof Share>;

/** With the catalogue, where its shares can be ended. */
export const MadeShare = Share.extend({ catalogue_id: z.uuid(), catalogue_name: z.string() }).meta({
  id: "MadeShare",
});
export type MadeShare = z.infer<typeof MadeShare>;

/** What an account has given to others and to scripts, in the answer to whatever makes it somebody's own again. */
export const givenOutShape = {
  tokensEnded: z.int().describe("access tokens that have ended"),
  shares: z
    .array(MadeShare)
    .describe("made by the account and good still, newest first; they stay until they are ended"),
};

export const createShare = operation({
  method: "POST",
  path: "/api/catalogues/:id/shares",
  summary: "Share a catalogue by a secret address, which this answer alone shows",
  tag: "Shares",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  body: z.object({
    label: z.string().optional().describe(`one line of at most ${SHARE_LABEL_MAX} characters`),
    expiresInDays: z.int().min(1).max(SHARE_DAYS_MAX).optional().describe("default: never"),
  }),
  example: { label: "For the reviewers of our paper", expiresInDays: 90 },
  success: {
    status: 201,
    schema: z.object({
      share: Share.extend({ url: z.string().describe("base address of the shared reads") }),
    }),
  },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT"],
});

export const listShares = operation({
  method: "GET",
  path: "/api/catalogues/:id/shares",
  summary: "The shares of a catalogue, newest first",
  tag: "Shares",
  access: "editor",
  rate: "read",
  params: CatalogueParams,
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ shares: z.array(Share) }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});

export const endShare = operation({
  method: "DELETE",
  path: "/api/catalogues/:id/shares/:shareId",
  summary: "End a share at once",
  tag: "Shares",
  access: "editor",
  rate: "write",
  params: z.object({ id: Id, shareId: Id }),
  success: { status: 200, schema: z.object({ success: z.boolean() }) },
  errors: ["NOT_FOUND", "CONFLICT"],
});
