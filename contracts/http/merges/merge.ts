import { z } from "zod";
import { CatalogueAccess, Editing } from "../../catalogue-rights.ts";
import { MERGE_LIMITS } from "../../merge/merge-config.ts";
import { DECISION_LIMITS, MergeDecisions } from "../../merge/merge-decision.ts";
import { Id } from "../catalogue.ts";
import { agree, CATALOGUE_NAME_MAX, DISAGREE } from "../catalogues.ts";
import { MergedMember } from "../event-schemas.ts";
import { EXAMPLE } from "../example-ids.ts";
import { Accepted } from "../jobs.ts";
import { BODY_ERRORS, operation } from "../operation.ts";
import { Warnings } from "../warnings.ts";
import { NewLabel, RequestedConfig } from "./requested-merge-config.ts";

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

export const mergeCatalogues = operation({
  method: "POST",
  path: "/api/merge",
  summary: "Merge catalogues into a new one, each earthquake once",
  tag: "Merge",
  access: "editor",
  makesCatalogue: true,
  names: { "body.sourceCatalogues.id": "read" },
  rate: "write",
  body: MergeBody,
  bodyMiB: DECISION_LIMITS.bodyMiB,
  documentedBody,
  example: MERGE_EXAMPLE,
  success: { status: 200, schema: MergeResult },
  accepted: { status: 202, schema: Accepted },
  errors: [...BODY_ERRORS, "MISSING_NAME", "NAME_TOO_LONG", "MERGE_ERROR", "NOT_FOUND", "CONFLICT"],
});

export const previewMerge = operation({
  method: "POST",
  path: "/api/merge/preview",
  summary: "What a merge would do; nothing is written",
  tag: "Merge",
  access: "editor",
  scope: "read",
  names: { "body.sourceCatalogues.id": "read" },
  rate: "write",
  body: MergeBody,
  bodyMiB: DECISION_LIMITS.bodyMiB,
  documentedBody: documentedBody.partial({ name: true }),
  example: MERGE_EXAMPLE,
  success: { status: 200, schema: MergePreview },
  errors: [...BODY_ERRORS, "MERGE_ERROR", "NOT_FOUND", "CONFLICT"],
});
