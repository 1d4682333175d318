/**
 * Merges: made, tried, evaluated, decided on and made again. Longer than other files, since all
 * these operations share their bodies.
 */

import { z } from "zod";
import { MERGE_LIMITS, MergeConfig, MergeWindow, SourceLabel } from "../merges/config.ts";
import { GivenConversions } from "../merges/conversions.ts";
import {
  DECISION_LIMITS,
  DecidedGroup,
  MergeDecision,
  MergeDecisions,
  ShownDecision,
} from "../merges/decisions.ts";
import { nextCursor, queryLimit, queryText, queryTime } from "../query/parameters.ts";
import { CatalogueAccess, Editing } from "../rights.ts";
import { compareTimes } from "../seismic-event/time.ts";
import { isShownLine, isShownText, NOT_SHOWN } from "../text.ts";
import { agree, CATALOGUE_NAME_MAX, DISAGREE } from "./catalogues.ts";
import { MergedMember, SeismicEventBody } from "./event-bodies.ts";
import { Accepted } from "./jobs.ts";
import { EXAMPLE, Id, operation, Success, Warnings } from "./operation.ts";

/** Only for new labels: older ones in the log keep their text. */
const NewLabel = SourceLabel.refine(isShownLine, { message: NOT_SHOWN });

/** Further members that clients send, such as the source's name and number of events, are ignored. */
const SourceCatalogue = z.object({
  id: Id,
  source: NewLabel.default("").describe("label of the origin"),
});

const sourceCatalogues = z
  .array(SourceCatalogue)
  .min(MERGE_LIMITS.minSources)
  .max(MERGE_LIMITS.maxSources)
  .refine((sources) => new Set(sources.map(({ id }) => id)).size === sources.length, {
    message: "names a catalogue twice",
  });

const rights = {
  is_public: z
    .boolean()
    .optional()
    .describe("whether guests may read it; false says no more than that they may not"),
  access: CatalogueAccess.optional().describe(
    "who may read it; default restricted where a source is, else internal",
  ),
  editing: Editing.optional().describe("who may change it; default all"),
};

const Window = MergeWindow.safeExtend({
  sources: z.array(NewLabel).min(1).max(MERGE_LIMITS.maxSources).optional(),
  from: queryTime("origin time at or after; ISO 8601").optional(),
  to: queryTime("origin time before; ISO 8601").optional(),
}).refine(({ from, to }) => !from || !to || compareTimes(from, to) < 0, {
  path: ["to"],
  message: "is not after from",
});

/** The settings of a merge as clients give them. */
const RequestedConfig = MergeConfig.extend({
  priority: NewLabel.default(""),
  windows: z.array(Window).max(MERGE_LIMITS.windows).optional(),
  conversions: GivenConversions.optional(),
});

/** The decisions are no part of the settings: people change them later. */
const ConfigAndDecisions = RequestedConfig.extend({
  decisions: MergeDecisions.optional().describe("in force whatever the thresholds"),
});

/** An absent name is refused by the domain, as missing. */
export const MergeBody = z
  .object({
    name: z.string().default(""),
    sourceCatalogues,
    config: ConfigAndDecisions,
    ...rights,
  })
  .refine(agree, DISAGREE);
export type MergeBody = z.output<typeof MergeBody>;

export const documentedBody = z.object({
  name: z.string().max(CATALOGUE_NAME_MAX),
  sourceCatalogues: z
    .array(
      z.object({
        ...SourceCatalogue.shape,
        name: z.string().optional().describe("not looked at"),
        events: z.number().optional().describe("not looked at"),
      }),
    )
    .min(MERGE_LIMITS.minSources)
    .max(MERGE_LIMITS.maxSources),
  config: ConfigAndDecisions,
  ...rights,
});

const counts = {
  eventCount: z.int().describe("events of the merged catalogue"),
  originalEventCount: z.int().describe("events of all sources"),
  duplicateGroups: z.int().describe("merged events that stand for more than one"),
  duplicatesRemoved: z.int(),
  warnings: Warnings,
};
export const MergeCounts = z.object(counts);
export type MergeCounts = z.infer<typeof MergeCounts>;

export const MergeResult = z
  .object({ success: z.boolean(), catalogueId: z.uuid(), ...counts })
  .meta({ id: "MergeResult" });
export type MergeResult = z.infer<typeof MergeResult>;

/** Of the source's event, as its catalogue has it. */
const placed = {
  time: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  depth: z.number().nullable().describe("kilometres"),
  magnitude: z.number().nullable(),
};

/** Each from 0 on; the bounds are those of `contracts/docs/merges.md`, Strategies. */
const ScoreParts = z.object({
  stations: z.number().max(25),
  gap: z.number().max(20),
  rms: z.number().max(15),
  magnitude_uncertainty: z.number().max(15),
  magnitude_type: z.number().max(15),
  review: z.number().max(10),
});
export type ScoreParts = z.infer<typeof ScoreParts>;

const PreviewMember = z.object({
  ...MergedMember.shape,
  ...placed,
  score_parts: ScoreParts.describe("the summands of quality_score"),
});
const { catalogue_id, event_id, source_id, source } = MergedMember.shape;
const PairedEvent = z.object({ catalogue_id, event_id, source_id, source, ...placed });

export const AmbiguousPair = z.object({
  first: PairedEvent,
  second: PairedEvent,
  time_difference: z.number().describe("seconds"),
  distance: z.number().describe("kilometres"),
  magnitude_difference: z.number().nullable(),
});

export const MergePreview = z
  .object({
    ...counts,
    groups: z
      .array(z.object({ reason: z.string(), members: z.array(PreviewMember) }))
      .describe("those of more than one event, by time, the first 1000"),
    ambiguous: z
      .array(AmbiguousPair)
      .describe("pairs that a person should look at, the first 1000"),
    truncated: z.boolean().describe("whether there are more groups or pairs"),
  })
  .meta({ id: "MergePreview" });
export type MergePreview = z.infer<typeof MergePreview>;

export const MERGE_EXAMPLE = {
  name: "New Zealand, GeoNet with ISC",
  sourceCatalogues: [
    { id: EXAMPLE.catalogue, source: "GeoNet" },
    { id: EXAMPLE.otherCatalogue, source: "ISC" },
  ],
  config: { timeThreshold: 16, distanceThreshold: 50, mergeStrategy: "quality" },
};

export const mergeCatalogues = operation("POST", "/api/merge", {
  summary: "Merge catalogues into a new one, each earthquake once",
  access: "editor",
  makesCatalogue: true,
  names: { "body.sourceCatalogues.id": "read" },
  body: MergeBody,
  bodyMiB: DECISION_LIMITS.bodyMiB,
  documentedBody,
  example: MERGE_EXAMPLE,
  answer: MergeResult,
  accepted: { status: 202, schema: Accepted },
  errors: ["MISSING_NAME", "NAME_TOO_LONG", "MERGE_ERROR", "NOT_FOUND", "CONFLICT"],
});

export const previewMerge = operation("POST", "/api/merge/preview", {
  summary: "What a merge would do; nothing is written",
  access: "editor",
  scope: "read",
  names: { "body.sourceCatalogues.id": "read" },
  body: MergeBody,
  bodyMiB: DECISION_LIMITS.bodyMiB,
  documentedBody: documentedBody.partial({ name: true }),
  example: MERGE_EXAMPLE,
  answer: MergePreview,
  errors: ["MERGE_ERROR", "NOT_FOUND", "CONFLICT"],
});

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

export const evaluateMerge = operation("POST", "/api/merge/evaluate", {
  summary: `Precision and recall of a merge against known labels, over a grid of thresholds; of up to ${MERGE_LIMITS.evaluated} events`,
  access: "editor",
  scope: "read",
  names: { "body.sourceCatalogues.id": "read" },
  body: EvaluationBody,
  documentedBody: documentedBody.partial({ name: true }).extend(evaluationShape),
  example: {
    ...MERGE_EXAMPLE,
    truth: "isc_event_id",
    timeThresholds: [8, 16, 32],
    distanceThresholds: [25, 50, 100],
  },
  answer: MergeEvaluation,
  accepted: { status: 202, schema: Accepted },
  errors: ["MERGE_ERROR", "NOT_FOUND", "CONFLICT"],
});

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

export const getMerge = operation("GET", "/api/catalogues/:id/merge", {
  summary: "How a merged catalogue is merged, and whether it is behind its sources",
  access: "readers",
  answer: MergedCatalogue,
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

export const setDecisions = operation("PUT", "/api/catalogues/:id/merge/decisions", {
  summary: "Replace the decisions of a merge; in force with its next refresh",
  access: "editor",
  body: "bytes",
  documentedBody: SetDecisionsBody,
  bodyMiB: DECISION_LIMITS.bodyMiB,
  example: { decisions: [DECISION_EXAMPLE] },
  answer: z.object({ decisions: z.array(ShownDecision) }),
  errors: ["CONFLICT"],
});

export const makeDecision = operation("POST", "/api/catalogues/:id/merge/decisions", {
  summary: "Decide on events of a merge's sources; in force with its next refresh",
  access: "editor",
  body: MergeDecision,
  example: DECISION_EXAMPLE,
  status: 201,
  answer: z.object({
    decision: ShownDecision,
    group: DecidedGroup.nullable().describe("null where it changes no event"),
  }),
  errors: ["CONFLICT"],
});

export const withdrawDecision = operation(
  "DELETE",
  "/api/catalogues/:id/merge/decisions/:decisionId",
  {
    summary: "Withdraw a decision of a merge",
    access: "editor",
    answer: Success,
  },
);

const config = RequestedConfig.optional().describe("new settings; absent for those that it has");

const changes = { added: z.int(), updated: z.int(), removed: z.int() };

export const refreshMerge = operation("POST", "/api/catalogues/:id/merge/refresh", {
  summary:
    "Make a merged catalogue what a merge of the latest versions of its sources is; events keep their ids",
  access: "editor",
  body: z.object({ config }),
  example: { config: { timeThreshold: 16, distanceThreshold: 50, mergeStrategy: "newest" } },
  answer: z
    .object({
      version: z.int().describe("the new version, or the latest where nothing differs"),
      ...changes,
    })
    .meta({ id: "MergeRefreshed" }),
  accepted: { status: 202, schema: Accepted },
  errors: ["FORBIDDEN", "CONFLICT", "MERGE_ERROR", "PRECONDITION_FAILED"],
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

export const previewRefresh = operation("POST", "/api/catalogues/:id/merge/preview", {
  summary: "What a refresh of a merged catalogue would change; nothing is written",
  access: "editor",
  scope: "read",
  act: "read",
  body: z.object({
    config,
    decisions: MergeDecisions.optional().describe("further ones, tried"),
  }),
  example: { config: { timeThreshold: 8, distanceThreshold: 25, mergeStrategy: "quality" } },
  answer: RefreshPreview,
  accepted: { status: 202, schema: Accepted },
  errors: ["FORBIDDEN", "CONFLICT", "MERGE_ERROR"],
});

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

export const listReviewPairs = operation("GET", "/api/catalogues/:id/merge/review", {
  summary: "The pairs of events that people should decide on, by time",
  access: "editor",
  query: z.strictObject({
    state: ReviewState.optional().describe("claimed: somebody looks at it; absent: all"),
    limit: queryLimit(LIMIT, "pairs in one answer").default(LIMIT.default),
    cursor: z.string().optional().describe("nextCursor of an earlier answer"),
  }),
  answer: z.object({ pairs: z.array(ReviewPair), nextCursor }),
  errors: ["MERGE_ERROR"],
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

export const reviewPair = operation("PUT", "/api/catalogues/:id/merge/review/:pair", {
  summary: "Claim a pair, hand it over, put it aside or note something about it",
  access: "editor",
  params: z.object({ id: Id, pair: z.string() }),
  body: ReviewChange,
  example: { claim: true, note: "I ask the analyst on duty about the second shock." },
  answer: z.object({ pair: ReviewPair }),
  errors: ["CONFLICT", "MERGE_ERROR"],
});
