import { z } from "zod";
import { MERGE_LIMITS } from "../../merge/merge-config.ts";
import { MergeDecisions } from "../../merge/merge-decision.ts";
import { CatalogueParams } from "../catalogue.ts";
import { SeismicEventBody } from "../event-schemas.ts";
import { Accepted } from "../jobs.ts";
import { BODY_ERRORS, operation } from "../operation.ts";
import { MergeCounts } from "./merge.ts";
import { RequestedConfig } from "./requested-merge-config.ts";

const config = RequestedConfig.optional().describe("new settings; absent for those that it has");

const changes = { added: z.int(), updated: z.int(), removed: z.int() };

const errors = [
  ...BODY_ERRORS,
  "VALIDATION_ERROR",
  "NOT_FOUND",
  "FORBIDDEN",
  "CONFLICT",
  "MERGE_ERROR",
] as const;

export const refreshMerge = operation({
  method: "POST",
  path: "/api/catalogues/:id/merge/refresh",
  summary:
    "Make a merged catalogue what a merge of the latest versions of its sources is; events keep their ids",
  tag: "Merge",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  body: z.object({ config }),
  example: { config: { timeThreshold: 16, distanceThreshold: 50, mergeStrategy: "newest" } },
  success: {
    status: 200,
    schema: z
      .object({
        version: z.int().describe("the new version, or the latest where nothing differs"),
        ...changes,
      })
      .meta({ id: "MergeRefreshed" }),
  },
  accepted: { status: 202, schema: Accepted },
  errors: [...errors, "PRECONDITION_FAILED"],
});

export const RefreshPreview = z
  .object({
    ...MergeCounts.shape,
    version: z.int().describe("the version that is compared with"),
    ...changes,
    changes: z
      .array(
        z.object({
          change: z.enum(["added", "updated", "removed"]),
          event: SeismicEventBody.describe(
            "as it would be; what it was where it would be removed. A new one has the id that the next version would give it",
          ),
          before: SeismicEventBody.optional().describe("of an updated one"),
        }),
      )
      .describe(`the first ${MERGE_LIMITS.preview}`),
    truncated: z.boolean().describe("whether there are more changes"),
  })
  .meta({ id: "RefreshPreview" });
export type RefreshPreview = z.infer<typeof RefreshPreview>;

export const previewRefresh = operation({
  method: "POST",
  path: "/api/catalogues/:id/merge/preview",
  summary: "What a refresh of a merged catalogue would change; nothing is written",
  tag: "Merge",
  access: "editor",
  scope: "read",
  act: "read",
  rate: "write",
  params: CatalogueParams,
  body: z.object({
    config,
    decisions: MergeDecisions.optional().describe("further ones, tried"),
  }),
  example: { config: { timeThreshold: 8, distanceThreshold: 25, mergeStrategy: "quality" } },
  success: { status: 200, schema: RefreshPreview },
  accepted: { status: 202, schema: Accepted },
  errors,
});
