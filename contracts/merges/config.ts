import { z } from "zod";
import { isShownLine, NOT_SHOWN } from "../text.ts";

/** Bounds of a merge's parameters. */
export const MERGE_LIMITS = {
  minSources: 2,
  maxSources: 50,
  timeThresholdSeconds: 3600,
  distanceThresholdKm: 1000,
  labelLength: 255,
  /** Most groups, and most ambiguous pairs, in a preview. */
  preview: 1000,
  /** Most thresholds of each kind that an evaluation tries, and the pairs that it shows. */
  grid: 20,
  worst: 100,
  /** Most events of all sources of an evaluation, which groups them for each pair of thresholds. */
  evaluated: 1_000_000,
  /** Most groups of events of one catalogue that may be the same, and most events in them. */
  duplicateGroups: 1000,
  duplicateMembers: 10_000,
  windows: 100,
  conversions: 100,
  rankedAgencies: 100,
  agencyLength: 255,
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

export const MergeStrategy = z.enum(["quality", "priority", "average", "newest", "complete"]);
export type MergeStrategy = z.infer<typeof MergeStrategy>;

const timeThreshold = z.number().min(0).max(MERGE_LIMITS.timeThresholdSeconds).describe("seconds");
const distanceThreshold = z
  .number()
  .min(0)
  .max(MERGE_LIMITS.distanceThresholdKm)
  .describe("kilometres");

const MAX_STATIONS = 1_000_000;

/** Thresholds of pairs both of whose events the window holds for; both null: such a pair is never a candidate. */
export const MergeWindow = z
  .strictObject({
    sources: z
      .array(SourceLabel)
      .min(1)
      .max(MERGE_LIMITS.maxSources)
      .optional()
      .describe("labels of the sources whose events it is for"),
    from: z.string().optional().describe("origin time at or after; ISO 8601 UTC"),
    to: z.string().optional().describe("origin time before; ISO 8601 UTC"),
    minMagnitude: z.number().optional().describe("a null magnitude satisfies none"),
    timeThreshold: timeThreshold.nullable(),
    distanceThreshold: distanceThreshold.nullable(),
  })
  .refine((one) => (one.timeThreshold === null) === (one.distanceThreshold === null), {
    path: ["distanceThreshold"],
    message: "has to be null where timeThreshold is, and only there",
  });
export type MergeWindow = z.output<typeof MergeWindow>;

const SOURCE_PREFIX = "source:";

const Ranked = z
  .string()
  .min(1)
  .max(MERGE_LIMITS.agencyLength + SOURCE_PREFIX.length)
  .refine(isShownLine, { message: NOT_SHOWN });

const Preference = z
  .union([MergeStrategy, z.array(Ranked).min(1).max(MERGE_LIMITS.rankedAgencies)])
  .describe(
    "a strategy, or agency ids and sources (source: and the label) of which the first that a member has is taken, case ignored; none there: mergeStrategy",
  );
export type Preference = z.infer<typeof Preference>;

/** The label of the source that an entry of a ranked list names; null where it names an agency. */
export function sourceLabelOf(entry: string): string | null {
  const isSource = entry.toLowerCase().startsWith(SOURCE_PREFIX);
  return isSource ? entry.slice(SOURCE_PREFIX.length).trim() : null;
}

const line = (most: number) =>
  z.string().min(1).max(most).refine(isShownLine, { message: NOT_SHOWN });

/** The name of a conversion: `extra.converted_from` and the bulletin tell it. */
export const ConversionName = line(100);

/**
 * A linear relation between two types of magnitude: slope · m + intercept, with the uncertainty
 * √((slope · σ)² + sigma²) where σ is that of m.
 */
export const MagnitudeConversion = z
  .strictObject({
    name: ConversionName,
    from: line(32).describe("type of the magnitudes that it converts"),
    agency: line(255).optional().describe("of this agency's alone"),
    to: line(32).describe("type of what it makes of them"),
    slope: z.number().min(-10).max(10),
    intercept: z.number().min(-100).max(100),
    sigma: z.number().min(0).max(10).describe("standard error of the relation"),
    range: z
      .tuple([z.number(), z.number()])
      .refine(([low, high]) => low <= high, { message: "begins above its end" })
      .describe("least and greatest magnitude that it holds for"),
    reference: line(1000).describe("where it was published"),
  })
  .meta({ id: "MagnitudeConversion" });

export const MergeConfig = z
  .object({
    timeThreshold,
    distanceThreshold,
    mergeStrategy: MergeStrategy,
    priority: SourceLabel.default("").describe("source label that the strategy priority prefers"),
    linkage: Linkage.default("complete").describe(
      "complete: every event of a group is within both thresholds of every other; nearest: of the pair that joins two groups alone",
    ),
    follow: z
      .boolean()
      .optional()
      .describe("whether it is refreshed by itself when a source changes; in its maker's name"),
    prefer: z
      .strictObject({
        location: Preference.optional(),
        magnitude: Preference.optional(),
        mechanism: Preference.optional(),
      })
      .optional()
      .describe("whose location, magnitude and mechanism is taken, each by itself"),
    minMagnitudeStations: z
      .int()
      .min(1)
      .max(MAX_STATIONS)
      .optional()
      .describe("a magnitude of fewer or unknown stations is taken only where there is no other"),
    windows: z
      .array(MergeWindow)
      .max(MERGE_LIMITS.windows)
      .optional()
      .describe("a pair has the thresholds of the first that holds for both its events"),
    conversions: z
      .array(z.union([ConversionName, MagnitudeConversion]))
      .max(MERGE_LIMITS.conversions)
      .optional()
      .describe("known ones by name, or whole; the first that fits a magnitude converts it"),
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

export type MagnitudeConversion = z.infer<typeof MagnitudeConversion>;
