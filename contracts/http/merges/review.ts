import { z } from "zod";
import { DECISION_LIMITS } from "../../merge/merge-decision.ts";
import { isShownText, NOT_SHOWN } from "../../shown-text.ts";
import { CatalogueParams, Id } from "../catalogue.ts";
import { nextCursor, queryLimit } from "../long-list.ts";
import { BODY_ERRORS, operation } from "../operation.ts";
import { AmbiguousPair } from "./merge.ts";

/** After so long without a word of whoever claimed it, a pair is anybody's. */
export const CLAIM_MINUTES = 15;

const LIMIT = { default: 100, max: 1000 } as const;

export const ReviewPair = z
  .object({
    ...AmbiguousPair.shape,
    id: z.string(),
    claim: z
      .object({ user: z.string().describe("user id"), at: z.string() })
      .nullable()
      .describe(`who looks at it; ends ${CLAIM_MINUTES} minutes after they last said something`),
    later: z.boolean().describe("whether it was put aside"),
    note: z.string().nullable(),
  })
  .meta({ id: "ReviewPair" });
export type ReviewPair = z.infer<typeof ReviewPair>;

export const ReviewState = z.enum(["open", "claimed", "later"]);
export type ReviewState = z.infer<typeof ReviewState>;

export const listReviewPairs = operation({
  method: "GET",
  path: "/api/catalogues/:id/merge/review",
  summary: "The pairs of events that people should decide on, by time",
  tag: "Merge",
  access: "editor",
  rate: "read",
  params: CatalogueParams,
  query: z.strictObject({
    state: ReviewState.optional().describe("claimed: somebody looks at it; absent: all"),
    limit: queryLimit(LIMIT, "pairs in one answer").default(LIMIT.default),
    cursor: z.string().optional().describe("nextCursor of an earlier answer"),
  }),
  success: { status: 200, schema: z.object({ pairs: z.array(ReviewPair), nextCursor }) },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR", "NOT_FOUND", "MERGE_ERROR"],
});

export const ReviewChange = z.object({
  claim: z
    .union([z.boolean(), z.string().min(1).max(100)])
    .optional()
    .describe("true: the caller looks at it; false: nobody does; a user id: it is handed over"),
  later: z.boolean().optional().describe("true puts it aside, and ends the claim"),
  note: z
    .string()
    .min(1)
    .max(DECISION_LIMITS.noteLength)
    .refine(isShownText, { message: NOT_SHOWN })
    .nullable()
    .optional(),
});
export type ReviewChange = z.output<typeof ReviewChange>;

export const reviewPair = operation({
  method: "PUT",
  path: "/api/catalogues/:id/merge/review/:pair",
  summary: "Claim a pair, hand it over, put it aside or note something about it",
  tag: "Merge",
  access: "editor",
  rate: "write",
  params: z.object({ id: Id, pair: z.string() }),
  body: ReviewChange,
  example: { claim: true, note: "I ask the analyst on duty about the second shock." },
  success: { status: 200, schema: z.object({ pair: ReviewPair }) },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT", "MERGE_ERROR"],
});
