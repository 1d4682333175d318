import { z } from "zod";

/** Bounds of a merge's parameters. */
export const MERGE_LIMITS = {
  minSources: 2,
  maxSources: 50,
  timeThresholdSeconds: 3600,
  distanceThresholdKm: 1000,
  labelLength: 255,
  /** Most groups, and most ambiguous pairs, in a preview. */
  preview: 1000,
} as const;

/**
 * Which groups a pair of events within both thresholds may join. `complete`: groups whose members
 * are then all within both thresholds of each other; `nearest`: any. In both, a group has at most
 * one event per source.
 */
export const Linkage = z.enum(["complete", "nearest"]);
export type Linkage = z.infer<typeof Linkage>;

/** Every event of the merged catalogue may repeat this text, so it is short and storable. */
export const SourceLabel = z
  .string()
  .max(MERGE_LIMITS.labelLength)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), {
    message: "holds characters that cannot be stored",
  });

export const MergeConfig = z
  .object({
    timeThreshold: z.number().min(0).max(MERGE_LIMITS.timeThresholdSeconds).describe("seconds"),
    distanceThreshold: z
      .number()
      .min(0)
      .max(MERGE_LIMITS.distanceThresholdKm)
      .describe("kilometres"),
    mergeStrategy: z.enum(["quality", "priority", "average", "newest", "complete"]),
    priority: SourceLabel.default("").describe("source label that the strategy priority prefers"),
    linkage: Linkage.default("complete").describe(
      "complete: every event of a group is within both thresholds of every other; nearest: of the pair that joins two groups alone",
    ),
  })
  .meta({ id: "MergeConfig" });
export type MergeConfig = z.output<typeof MergeConfig>;

/** A source of a merged catalogue at the time of the merge, with everything needed to repeat it. */
export const MergedSource = z
  .object({
    id: z.uuid(),
    name: z.string().describe("the name that it had"),
    source: z.string().describe("label of the origin"),
    version: z.int().positive(),
    event_count: z.int().nonnegative(),
  })
  .meta({ id: "MergedSource" });
export type MergedSource = z.infer<typeof MergedSource>;

/** A source as it is shown; without id, name and label where it is not there for the reader. */
export const ShownSource = MergedSource.extend({
  id: MergedSource.shape.id.nullable(),
  name: MergedSource.shape.name.nullable(),
  source: MergedSource.shape.source.nullable(),
}).meta({ id: "ShownSource" });
export type ShownSource = z.infer<typeof ShownSource>;
