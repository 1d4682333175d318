import { z } from "zod";
import { MergeConfig } from "../../merges/config.ts";
import { bodyAsOf } from "../../query/parameters.ts";
import { Accepted } from "../jobs.ts";
import { EXAMPLE, Id, operation } from "../operation.ts";
import { AnalysisWarning } from "./statistics.ts";

/** Most events of both catalogues together. */
export const MAX_COMPARED = 2_000_000;

/** Bounds of η, the variance of the errors of magnitudes in b by that in a. */
export const ETA = { default: 1, min: 1e-4, max: 1e4 } as const;

export const ComparisonBody = z.strictObject({
  a: Id.describe("the catalogue whose magnitudes are x"),
  b: Id.describe("the catalogue whose magnitudes are y; differences are b − a"),
  asOfA: bodyAsOf,
  asOfB: bodyAsOf,
  timeThreshold: MergeConfig.shape.timeThreshold,
  distanceThreshold: MergeConfig.shape.distanceThreshold,
  eta: z
    .number()
    .min(ETA.min)
    .max(ETA.max)
    .default(ETA.default)
    .describe("variance of the errors of y by that of x"),
});
export type ComparisonBody = z.output<typeof ComparisonBody>;

const ComparedCatalogue = z.object({
  catalogue: Id,
  version: z.int(),
  events: z.int(),
  withoutMagnitude: z.int(),
  start: z.string().nullable().describe("time of the first event"),
  end: z.string().nullable().describe("time of the last event"),
});
export type ComparedCatalogue = z.infer<typeof ComparedCatalogue>;

const Residuals = z.object({
  n: z.int().describe("pairs that have it in both catalogues"),
  median: z.number(),
  sigma: z.number().describe("1.4826 · median absolute deviation"),
  p05: z.number(),
  p95: z.number(),
});

const line = {
  slope: z.number(),
  intercept: z.number(),
  sigma: z.number().describe("standard deviation of y about the line"),
};
const Line = z.object(line);

/** All null where there are fewer than 30 pairs with magnitudes, or those of a differ by less than 1. */
const regressions = {
  range: z
    .object({ min: z.number(), max: z.number() })
    .nullable()
    .describe("of x: the lines say nothing beyond it"),
  ols: Line.nullable().describe("ordinary least squares, for reference"),
  gor: Line.nullable().describe("general orthogonal regression"),
  theilSen: z
    .object({ ...line, slopeLow: z.number(), slopeHigh: z.number() })
    .nullable()
    .describe("Theil and Sen's line, with the 95 % interval of its slope"),
};

const Matches = z.object({ matched: z.int(), unmatched: z.int() });

const noRegressions = {
  reason: z.string().optional().describe("why there are no regressions"),
  required: z.int().optional().describe("pairs that they need"),
};

const ComparisonAnswer = z.strictObject({
  method: z.literal("compare"),
  a: ComparedCatalogue,
  b: ComparedCatalogue,
  parameters: z.object({
    timeThreshold: z.number(),
    distanceThreshold: z.number(),
    eta: z.number(),
  }),
  estimate: z.object({
    matched: z.int().describe("events that both catalogues have, as a merge would pair them"),
    unmatched: z.object({ a: z.int(), b: z.int() }),
    nearThreshold: z
      .number()
      .nullable()
      .describe("part of the pairs beyond 80 % of a threshold, 0 to 1"),
    residuals: z.object({
      time: Residuals.nullable().describe("seconds"),
      distance: Residuals.nullable().describe("kilometres between the epicentres"),
      depth: Residuals.nullable().describe("kilometres, where neither depth is operator assigned"),
      magnitude: Residuals.nullable(),
    }),
    ...regressions,
  }),
  n: z.int().optional().describe("pairs with both magnitudes, where they are too few"),
  ...noRegressions,
  bins: z
    .array(z.object({ magnitude: z.number(), a: Matches, b: Matches }))
    .readonly()
    .describe("by magnitude, 0.1 wide"),
  series: z
    .array(
      z.object({
        types: z.object({ a: z.string().nullable(), b: z.string().nullable() }),
        n: z.int(),
        magnitude: Residuals,
        ...regressions,
        ...noRegressions,
      }),
    )
    .describe("by the magnitude types of at least 10 pairs"),
  warnings: z.array(AnalysisWarning),
  reference: z.string(),
});
export type ComparisonAnswer = z.infer<typeof ComparisonAnswer>;

export const compareCatalogues = operation("POST", "/api/compare", {
  summary: `Two catalogues, of up to ${MAX_COMPARED} events in all, by the events that both have: differences, magnitudes of one by the other`,
  // Of those who may read both.
  access: "public",
  names: { "body.a": "read", "body.b": "read" },
  body: ComparisonBody,
  example: {
    a: EXAMPLE.catalogue,
    b: EXAMPLE.otherCatalogue,
    timeThreshold: 16,
    distanceThreshold: 50,
  },
  answer: ComparisonAnswer,
  accepted: { status: 202, schema: Accepted },
  errors: ["UNAUTHENTICATED", "MERGE_ERROR", "NOT_FOUND", "TOO_MANY_EVENTS"],
});
