import { z } from "zod";
import { completeYears, queryInteger, queryNumber } from "../../query/parameters.ts";
import { Accepted } from "../jobs.ts";
import { analysis, analysisAnswer, BIN_WIDTH, MagnitudeBin } from "./statistics.ts";

const COMPLETENESS_METHODS = ["maxc", "gft", "mbs", "emr", "ks", "lilliefors"] as const;
export type CompletenessMethod = (typeof COMPLETENESS_METHODS)[number];

/** What is taken where a parameter is not given. */
export const MAGNITUDE_DEFAULTS = {
  correction: 0.2,
  minEvents: 50,
  seed: 1,
  estimator: "tinti-mulargia",
  method: "maxc",
} as const;

const widthOrRaw = queryNumber(
  { min: 0, max: BIN_WIDTH.max },
  "magnitude units, default 0.1; 0 takes the magnitudes as they are",
)
  .refine((width) => width === 0 || width >= BIN_WIDTH.min, `is 0 or at least ${BIN_WIDTH.min}`)
  .optional();

const correction = queryNumber(
  { min: -2, max: 2 },
  "magnitude units that maximum curvature adds, default 0.2",
).optional();

const minEvents = queryInteger(
  { min: 10, max: 1_000_000 },
  "events that a fit for the completeness needs, default 50",
).optional();

const seed = queryInteger(
  { min: 0, max: 4_294_967_295 },
  "of all that is drawn, default 1",
).optional();

const per = z
  .enum(["years", "events"])
  .optional()
  .describe("for each 5 years or 500 events, which begin every half of that");

const windows = queryInteger(
  { min: 2, max: 1_000 },
  "with per=events: at most so many stretches, which have more than 500 events where it takes that",
).optional();

const Period = z.object({
  start: z.string().describe("time of the first event"),
  end: z.string().describe("time of the last event"),
  n: z.int().describe("events with a magnitude"),
  mc: z.number().nullable().describe("maximum curvature; null for fewer than 50 events"),
  b: z.number().nullable(),
  sigma: z.number().nullable(),
});

const NumberOrNull = z.number().nullable().optional();
const Statistic = z.number().optional();

const LawFit = z.object({
  magnitude: z.number(),
  n: z.int().describe("events from it up"),
  b: Statistic,
  sigma: Statistic.describe("of b"),
  r: Statistic.describe("goodness of fit, percent"),
  d: Statistic.describe("distance from the law"),
  dStar: Statistic,
  p: Statistic,
});

const completenessShape = {
  mc: z.number().describe("magnitude of completeness"),
  n: z.int().describe("events from it up"),
  mode: Statistic.describe("maxc: the most frequent magnitude"),
  b: Statistic,
  sigmaB: Statistic.describe("standard error of b"),
  mc90: NumberOrNull.describe("gft: the lowest magnitude with a fit of 90 percent"),
  r90: NumberOrNull.describe("its fit, percent"),
  mc95: NumberOrNull.describe("gft: of 95 percent"),
  r95: NumberOrNull,
  mu: Statistic.describe("emr: the magnitude of which half of the events are detected"),
  sigma: Statistic.describe("emr: magnitude units over which detection fails"),
  d: Statistic.describe("ks, lilliefors: distance from the law"),
  dStar: Statistic.describe("lilliefors: the distance made independent of n"),
  p: Statistic.describe("its probability; from 0.1 up the law is not refused"),
};
const ByMethod = z.object(completenessShape).nullable();

/** Simulations can take long; with `Prefer: respond-async` the answer is an operation's result. */
const withBackground = <O extends object>(definition: O) => ({
  ...definition,
  accepted: { status: 202 as const, schema: Accepted },
});

export const getCompleteness = withBackground(
  analysis("completeness", {
    summary: "The magnitude of completeness, by one of six methods or by all",
    parameters: {
      method: z
        .enum([...COMPLETENESS_METHODS, "all"])
        .optional()
        .describe("default maxc"),
      binWidth: widthOrRaw,
      correction,
      minEvents,
      estimator: z.enum(["tinti-mulargia", "utsu"]).optional().describe("of b"),
      per,
      windows,
      seed,
    },
    answer: analysisAnswer(
      z.object({
        ...completenessShape,
        methods: z
          .record(z.enum(COMPLETENESS_METHODS), ByMethod)
          .optional()
          .describe("method=all: the result of each; mc is that of maximum curvature"),
      }),
      { bin: MagnitudeBin, series: z.union([LawFit, Period]) },
    ),
  }),
);

export const B_ESTIMATORS = ["tinti-mulargia", "utsu", "aki", "b-positive", "weichert"] as const;
export type BEstimatorName = (typeof B_ESTIMATORS)[number];

const FittedBin = MagnitudeBin.extend({
  annualRate: z
    .number()
    .nullable()
    .describe("10^(a − bM): events per year that the law has from this magnitude up"),
});
export type FittedBin = z.infer<typeof FittedBin>;

const TypeFit = z.object({
  type: z.string().nullable(),
  n: z.int(),
  b: z.number().nullable(),
  sigma: z.number().nullable(),
});

const McFit = z.object({ mc: z.number(), n: z.int(), b: z.number(), sigma: z.number() });

export const getBValue = withBackground(
  analysis("b-value", {
    summary: "The b-value of the Gutenberg–Richter law, with its error and annual rates",
    parameters: {
      mc: queryNumber(
        { min: -3, max: 10 },
        "magnitude of completeness; without it by mcMethod",
      ).optional(),
      mcMethod: z.enum(COMPLETENESS_METHODS).optional().describe("default maxc"),
      estimator: z.enum(B_ESTIMATORS).optional().describe("default tinti-mulargia"),
      binWidth: widthOrRaw,
      correction,
      minEvents,
      dc: queryNumber(
        { min: 0.01, max: 2 },
        "b-positive: the least rise of the magnitude, default one bin",
      ).optional(),
      complete: completeYears("weichert: magnitude:year from which on it is complete").optional(),
      mmax: queryNumber(
        { min: -3, max: 12 },
        "weichert: the largest possible magnitude",
      ).optional(),
      series: z.enum(["mc", "time"]).optional().describe("b for each completeness, or over time"),
      per,
      windows,
      bootstrap: queryInteger({ min: 100, max: 10_000 }, "catalogues that are drawn").optional(),
      magnitudeErrors: z
        .enum(["true", "false"])
        .optional()
        .describe("bootstrap: whether each drawn magnitude is moved by its own uncertainty"),
      seed,
    },
    answer: analysisAnswer(
      z.object({
        mc: z.number().describe("magnitude of completeness"),
        n: z.int().describe("events from it up, or rises"),
        b: z.number(),
        sigma: z.number().describe("standard error of b (Shi & Bolt 1982; Weichert 1980)"),
        sigmaAki: z.number().describe("b / √n"),
        bUnbiased: z.number().describe("b (n − 1) / n"),
        aAnnual: z
          .number()
          .nullable()
          .describe("log10 of the events per year of magnitude 0 and above"),
        rate: z.number().nullable().describe("events per year from mc up"),
        bootstrap: z
          .object({
            samples: z.int(),
            seed: z.int(),
            sigma: z.number(),
            p025: z.number(),
            p975: z.number(),
            moved: z
              .int()
              .optional()
              .describe("magnitudeErrors: events with an uncertainty; others are not moved"),
          })
          .optional(),
      }),
      { bin: FittedBin, series: z.union([Period, TypeFit, McFit]) },
    ),
  }),
);
export type BValueQuery = z.output<typeof getBValue.query>;
