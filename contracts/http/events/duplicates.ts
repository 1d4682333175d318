import { z } from "zod";
import { MERGE_LIMITS } from "../../merge/merge-config.ts";
import { bodyFilterShape, filteredQuery } from "../../query/filter-parameters.ts";
import { CatalogueParams } from "../catalogue.ts";
import { BODY_ERRORS, operation } from "../operation.ts";

const Duplicate = z.object({
  event_id: z.uuid(),
  source_id: z.string().nullable(),
  time: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  depth: z.number().nullable().describe("kilometres"),
  magnitude: z.number().nullable(),
});

export const Duplicates = z
  .object({
    version: z.int().describe("the version that was looked at"),
    groups: z
      .array(z.object({ members: z.array(Duplicate) }))
      .describe(
        `events that may be one earthquake, by time; the first ${MERGE_LIMITS.duplicateGroups} groups, of ${MERGE_LIMITS.duplicateMembers} events at most`,
      ),
    truncated: z.boolean().describe("whether there are more"),
  })
  .meta({ id: "Duplicates" });
export type Duplicates = z.infer<typeof Duplicates>;

export const findDuplicates = operation({
  method: "POST",
  path: "/api/catalogues/:id/duplicates",
  summary: "Events of one catalogue that may be the same earthquake; nothing is written",
  tag: "Events",
  access: "editor",
  act: "read",
  scope: "read",
  rate: "write",
  params: CatalogueParams,
  query: z.strictObject({}),
  body: z.object({
    timeThreshold: z.number().min(0).max(MERGE_LIMITS.timeThresholdSeconds).describe("seconds"),
    distanceThreshold: z
      .number()
      .min(0)
      .max(MERGE_LIMITS.distanceThresholdKm)
      .describe("kilometres"),
    magnitudeDifference: z
      .number()
      .min(0)
      .optional()
      .describe("most of two duplicates; an unknown magnitude is then within none"),
    filters: filteredQuery(bodyFilterShape).optional().describe("of the events looked at"),
  }),
  example: { timeThreshold: 16, distanceThreshold: 50, filters: { minMagnitude: 4 } },
  success: { status: 200, schema: Duplicates },
  errors: [...BODY_ERRORS, "NOT_FOUND", "MERGE_ERROR"],
});
