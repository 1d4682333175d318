import { z } from "zod";
import { MergeConfig } from "../../merge/merge-config.ts";
import {
  DECISION_LIMITS,
  DecidedGroup,
  MergeDecision,
  MergeDecisions,
  ShownDecision,
} from "../../merge/merge-decision.ts";
import { CatalogueParams, Id } from "../catalogue.ts";
import { EXAMPLE } from "../example-ids.ts";
import { BODY_ERRORS, operation } from "../operation.ts";

export const MergedCatalogue = z
  .object({
    config: MergeConfig,
    decisions: z.array(ShownDecision),
    sources: z.array(
      z.object({
        catalogue_id: z.uuid().nullable().describe("null where it is not there for the caller"),
        version: z.int().positive().describe("the one that was merged last"),
        latest: z
          .int()
          .positive()
          .nullable()
          .describe("its present one; null where it is not there for the caller"),
      }),
    ),
    behind: z
      .boolean()
      .describe("whether a source that is there for the caller has a later version"),
    follow: z
      .object({
        parked: z.boolean().describe("whether it is refreshed by hand alone, after failures"),
        failures: z.int().describe("refreshes that have failed since the last that did not"),
        error: z.string().nullable().describe("why the last one failed"),
        last_run: z.string().nullable().describe("when the last one began"),
      })
      .optional()
      .describe("how it is refreshed by itself; absent where it is not"),
  })
  .meta({ id: "MergedCatalogue" });
export type MergedCatalogue = z.infer<typeof MergedCatalogue>;

export const getMerge = operation({
  method: "GET",
  path: "/api/catalogues/:id/merge",
  summary: "How a merged catalogue is merged, and whether it is behind its sources",
  tag: "Merge",
  access: "readers",
  rate: "read",
  params: CatalogueParams,
  query: z.strictObject({}),
  success: { status: 200, schema: MergedCatalogue },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});

export const SetDecisionsBody = z.object({ decisions: MergeDecisions });

const DECISION_EXAMPLE = {
  type: "same",
  events: [
    { catalogue_id: EXAMPLE.catalogue, event_id: EXAMPLE.event },
    { catalogue_id: EXAMPLE.otherCatalogue, event_id: EXAMPLE.otherEvent },
  ],
  note: "One shock, which ISC has twelve seconds later",
};

export const setDecisions = operation({
  method: "PUT",
  path: "/api/catalogues/:id/merge/decisions",
  summary: "Replace the decisions of a merge; in force with its next refresh",
  tag: "Merge",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  body: "bytes",
  documentedBody: SetDecisionsBody,
  bodyMiB: DECISION_LIMITS.bodyMiB,
  example: { decisions: [DECISION_EXAMPLE] },
  success: { status: 200, schema: z.object({ decisions: z.array(ShownDecision) }) },
  errors: [...BODY_ERRORS, "BODY_TOO_LARGE", "NOT_FOUND", "CONFLICT"],
});

export const makeDecision = operation({
  method: "POST",
  path: "/api/catalogues/:id/merge/decisions",
  summary: "Decide on events of a merge's sources; in force with its next refresh",
  tag: "Merge",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  body: MergeDecision,
  example: DECISION_EXAMPLE,
  success: {
    status: 201,
    schema: z.object({
      decision: ShownDecision,
      group: DecidedGroup.nullable().describe("null where it changes no event"),
    }),
  },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT"],
});

export const withdrawDecision = operation({
  method: "DELETE",
  path: "/api/catalogues/:id/merge/decisions/:decisionId",
  summary: "Withdraw a decision of a merge",
  tag: "Merge",
  access: "editor",
  rate: "write",
  params: z.object({ id: Id, decisionId: Id }),
  success: { status: 200, schema: z.object({ success: z.boolean() }) },
  errors: ["NOT_FOUND"],
});
