import { z } from "zod";
import { MERGE_LIMITS } from "../../merge/merge-config.ts";
import { queryText } from "../../query/values.ts";
import { Accepted } from "../jobs.ts";
import { BODY_ERRORS, operation } from "../operation.ts";
import { documentedBody, MERGE_EXAMPLE, MergeBody, MergePreview } from "./merge.ts";

const TRUTH_MAX = 255;

const evaluationShape = {
  truth: queryText()
    .min(1)
    .max(TRUTH_MAX)
    .describe("the member of extra that tells which events are one earthquake, by equal values"),
  timeThresholds: z
    .array(z.number().min(0).max(MERGE_LIMITS.timeThresholdSeconds))
    .min(1)
    .max(MERGE_LIMITS.grid)
    .describe("seconds"),
  distanceThresholds: z
    .array(z.number().min(0).max(MERGE_LIMITS.distanceThresholdKm))
    .min(1)
    .max(MERGE_LIMITS.grid)
    .describe("kilometres"),
};

export const EvaluationBody = MergeBody.and(z.object(evaluationShape));
export type EvaluationBody = z.output<typeof EvaluationBody>;

const share = z.number().min(0).max(1).nullable();

const Evaluated = z.object({
  timeThreshold: z.number(),
  distanceThreshold: z.number(),
  pairs: z.int().describe("pairs of events with the label that the merge puts together"),
  correct: z.int().describe("those of equal labels"),
  missed: z.int().describe("pairs of equal labels, of different sources, that it does not"),
  precision: share.describe("correct of pairs; null where there are none"),
  recall: share.describe("correct of correct and missed; null where there are none"),
});

export const MergeEvaluation = z
  .object({
    results: z.array(Evaluated).describe("by timeThresholds, then by distanceThresholds"),
    worst: z
      .array(
        MergePreview.shape.ambiguous.element.extend({
          verdict: z.enum(["wrong", "missed"]).describe("together, or apart, against the labels"),
        }),
      )
      .describe(
        `of the settings of config itself: wrong ones, farthest first, then missed ones, nearest first; ${MERGE_LIMITS.worst} in all`,
      ),
  })
  .meta({ id: "MergeEvaluation" });
export type MergeEvaluation = z.infer<typeof MergeEvaluation>;

export const evaluateMerge = operation({
  method: "POST",
  path: "/api/merge/evaluate",
  summary: `Precision and recall of a merge against known labels, over a grid of thresholds; of up to ${MERGE_LIMITS.evaluated} events`,
  tag: "Merge",
  access: "editor",
  scope: "read",
  names: { "body.sourceCatalogues.id": "read" },
  rate: "write",
  body: EvaluationBody,
  documentedBody: documentedBody.partial({ name: true }).extend(evaluationShape),
  example: {
    ...MERGE_EXAMPLE,
    truth: "isc_event_id",
    timeThresholds: [8, 16, 32],
    distanceThresholds: [25, 50, 100],
  },
  success: { status: 200, schema: MergeEvaluation },
  accepted: { status: 202, schema: Accepted },
  errors: [...BODY_ERRORS, "MERGE_ERROR", "NOT_FOUND", "CONFLICT"],
});
