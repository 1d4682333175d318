import { z } from "zod";
import { CALENDAR_UNITS } from "../../analytics/calendar.ts";
import { HALF_CIRCUMFERENCE_KM } from "../../query/filters.ts";
import { asOf, filteredQuery, filterShape, queryNumber } from "../../query/parameters.ts";
import { parseTime } from "../../seismic-event/time.ts";
import { Id, operation, sharedAt } from "../operation.ts";

const AnalysisInput = z.object({
  events: z.int().describe("events that satisfy the filters"),
  withoutMagnitude: z.int().optional().describe("those that have none, and are left out"),
  magnitudeTypes: z
    .array(z.object({ type: z.string().nullable(), n: z.int() }))
    .optional()
    .describe("most frequent first; case is ignored"),
  start: z.string().nullable().describe("time of the first event"),
  end: z.string().nullable().describe("time of the last event"),
  years: z
    .number()
    .nullable()
    .describe("of 365.25 days, from startTime or the first event to endTime or the last"),
});
export type AnalysisInput = z.infer<typeof AnalysisInput>;

export const AnalysisWarning = z.object({ code: z.string(), message: z.string() });
export type AnalysisWarning = z.infer<typeof AnalysisWarning>;

/** What every analysis answers: what was asked of which events, and how, beside the results. */
const echoShape = {
  catalogue: Id,
  version: z.int(),
  filters: z.record(z.string(), z.unknown()),
  method: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  input: AnalysisInput,
  reason: z.string().optional().describe("why there is no estimate"),
  n: z.int().optional().describe("events for the estimate, where they are too few"),
  required: z.int().optional().describe("events that it needs"),
  warnings: z.array(AnalysisWarning),
  reference: z.string().nullable().describe("the paper of the method"),
};

/** The answer of an analysis: its `estimate`, null where there are too few events, and its lists. */
export function analysisAnswer<E extends z.ZodType, B extends z.ZodType, S extends z.ZodType>(
  estimate: E,
  { bin, series }: { readonly bin: B; readonly series: S },
) {
  return z.strictObject({
    ...echoShape,
    estimate: estimate.nullable(),
    bins: z.array(bin).optional(),
    series: z.array(series).optional(),
  });
}

/** A read below `/analytics/`: of the events of a version that satisfy the filters of `/filtered`. */
export function analysis<const P extends string, Q extends z.ZodRawShape, A extends z.ZodType>(
  path: P,
  {
    summary,
    parameters,
    answer,
  }: {
    readonly summary: string;
    /** Beside the filters and `asOf`. */
    readonly parameters: Q;
    readonly answer: A;
  },
) {
  return operation("GET", `/api/catalogues/:id/analytics/${path}`, {
    summary,
    access: "readers",
    alsoAt: sharedAt(`/analytics/${path}`),
    caching: "revalidated",
    query: filteredQuery({ ...filterShape, asOf, ...parameters }),
    answer,
  });
}

export const BIN_WIDTH = { default: 0.1, min: 0.01, max: 2 } as const;

export const binWidth = queryNumber(
  { min: BIN_WIDTH.min, max: BIN_WIDTH.max },
  "magnitude units, default 0.1",
).optional();

export const NO_LISTS = { bin: z.never(), series: z.never() };

const range = { min: z.number().nullable(), max: z.number().nullable() };

export const getAnalyticsSummary = analysis("summary", {
  summary: "What the events of a version are: numbers, ranges, types",
  parameters: {},
  answer: analysisAnswer(
    z.object({
      events: z.int(),
      magnitude: z.object({ ...range, missing: z.int() }),
      depth: z.object({ ...range, missing: z.int() }),
      latitude: z.object(range),
      longitude: z.object(range),
      eventTypes: z.array(z.object({ type: z.string().nullable(), n: z.int() })),
    }),
    NO_LISTS,
  ),
});

export const MagnitudeBin = z.object({
  magnitude: z.number().describe("the centre of the bin"),
  count: z.int(),
  cumulative: z.int().describe("events of this bin and above"),
});
export type MagnitudeBin = z.infer<typeof MagnitudeBin>;

export const getMagnitudeFrequency = analysis("magnitude-frequency", {
  summary: "How many events there are of each magnitude, and of at least each magnitude",
  parameters: {
    binWidth,
    by: z.enum(["type"]).optional().describe("also for each magnitude type"),
  },
  answer: analysisAnswer(
    z.object({
      n: z.int(),
      minMagnitude: z.number().describe("the lowest bin with an event"),
      maxMagnitude: z.number().describe("the highest"),
    }),
    {
      bin: MagnitudeBin,
      series: z.object({ type: z.string().nullable(), n: z.int(), bins: z.array(MagnitudeBin) }),
    },
  ),
});

const unit = (standard: string) =>
  z
    .enum(CALENDAR_UNITS)
    .optional()
    .describe(`calendar unit in UTC, weeks from Monday; default ${standard}`);

const NO_SERIES = z.never();

const calendarShape = {
  start: z.string().describe("ISO 8601, UTC"),
  end: z.string().describe("the beginning of the next"),
  partial: z.boolean().describe("the period covers only a part of it"),
};

const RateBin = z.object({
  ...calendarShape,
  count: z.int(),
  cumulative: z.int().describe("events of this bin and of all before"),
});

export const getRates = analysis("rates", {
  summary: "How many events there are in each day, week, month or year, empty ones too",
  parameters: { bin: unit("month") },
  answer: analysisAnswer(
    z.object({
      n: z.int(),
      bins: z.int().describe("from startTime or the first event to endTime or the last"),
      filled: z.int().describe("those with an event"),
      max: z.int().describe("events of the fullest bin"),
      maxStart: z.string().describe("when that begins; the first of several"),
      perYear: z.number().nullable().describe("events by the years of the input"),
    }),
    { bin: RateBin, series: NO_SERIES },
  ),
});

const MomentBin = z.object({
  ...calendarShape,
  count: z.int(),
  moment: z.number().describe("N·m"),
  cumulative: z.number().describe("N·m of this bin and of all before"),
});

export const getMoment = analysis("moment", {
  summary: "The seismic moment of the events, in total and in each day, week, month or year",
  parameters: {
    bin: unit("year"),
    types: z
      .enum(["all"])
      .optional()
      .describe("take every magnitude type as Mw; without it Mw, ML, M and those without a type"),
  },
  answer: analysisAnswer(
    z.object({
      n: z.int(),
      excluded: z.int().describe("events of magnitude types that are left out"),
      total: z.number().describe("N·m, M0 = 10^(1.5 Mw + 9.1)"),
      mw: z.number().describe("the magnitude of one event of the total moment"),
      largest: z.number().describe("the largest magnitude"),
      largestShare: z.number().describe("its event's part of the total, 0 to 1"),
      energy: z.number().describe("J, E = 10^(1.5 M + 4.8)"),
    }),
    { bin: MomentBin, series: NO_SERIES },
  ),
});

const IntervalBin = z.object({
  from: z.number().describe("seconds, inclusive"),
  to: z.number().describe("seconds"),
  count: z.int(),
});

export const LOG_BIN = { default: 0.25, min: 0.01, max: 5 } as const;

export const getInterEventTimes = analysis("inter-event", {
  summary: "The times between events: mean, median, variation, distribution",
  parameters: {
    bin: queryNumber(LOG_BIN, "decades of a bin, default 0.25").optional(),
  },
  answer: analysisAnswer(
    z.object({
      n: z.int().describe("times between events, one less than events"),
      mean: z.number().describe("seconds, as median, min and max"),
      median: z.number(),
      min: z.number(),
      max: z.number(),
      cv: z
        .number()
        .nullable()
        .describe("standard deviation (n − 1) by mean: 1 for a Poisson process; null for mean 0"),
      zeros: z.int().describe("times of 0, which are in no bin"),
    }),
    { bin: IntervalBin, series: NO_SERIES },
  ),
});

const DepthBin = z.object({
  from: z.number().describe("km, inclusive"),
  to: z.number().describe("km"),
  count: z.int(),
});

export const DEPTH_BIN = { default: 5, min: 0.1, max: 1000 } as const;

export const getDepths = analysis("depths", {
  summary: "How many events there are at each depth, and how many depths were set",
  parameters: { bin: queryNumber(DEPTH_BIN, "km, default 5").optional() },
  answer: analysisAnswer(
    z.object({
      n: z.int().describe("events with a depth"),
      missing: z.int(),
      fixed: z.object({
        count: z.int().describe("events whose depth was assigned or is one of the values"),
        assigned: z.int().describe("depth type operator assigned"),
        values: z
          .array(z.object({ depth: z.number(), count: z.int() }))
          .readonly()
          .describe("depths that more than 5 % of the events have"),
      }),
    }),
    { bin: DepthBin, series: NO_SERIES },
  ),
});

const DensityCell = z.object({
  latitude: z.number().describe("of the southern edge, deg"),
  longitude: z.number().describe("of the western edge, deg, −180 to below 180"),
  count: z.int(),
});

export const CELL = { default: 0.1, min: 0.001, max: 90 } as const;

export const getDensity = analysis("density", {
  summary: "How many events there are in each cell of latitude and longitude that has any",
  parameters: { cell: queryNumber(CELL, "deg, default 0.1").optional() },
  answer: analysisAnswer(
    z.object({
      n: z.int(),
      cells: z.int().describe("cells with an event"),
      max: z.int().describe("events of the fullest cell"),
      maxAt: z.object({ latitude: z.number(), longitude: z.number() }),
    }),
    { bin: DensityCell, series: NO_SERIES },
  ),
});

const MAX_DAYS = 400_000;

export const OMORI_START = { default: 0.01, min: 0, max: MAX_DAYS } as const;

/** An id in lower case, or a time in canonical form. */
const mainshock = z
  .string()
  .transform((text, context) => {
    const id = z.uuid().safeParse(text.toLowerCase());
    const instant = id.success ? id.data : parseTime(text);
    if (instant === null) {
      context.addIssue({ code: "custom", message: "neither an event's id nor an ISO 8601 time" });
    }
    return instant ?? z.NEVER;
  })
  .pipe(z.string())
  .describe("the main event: its id, or an ISO 8601 time");

const sigma = z.number().nullable().describe("standard error; null where it cannot be given");

const DecayBin = z.object({
  from: z.number().describe("days after the main event, as to"),
  to: z.number(),
  count: z.int(),
  rate: z.number().describe("events per day"),
  expected: z.number().nullable().describe("events per day by the law"),
});

export const getOmori = analysis("omori", {
  summary: "The decay of aftershocks by Omori and Utsu's law, K (t + c)^−p",
  parameters: {
    mainshock,
    start: queryNumber(
      OMORI_START,
      "days after the main event, inclusive; default 0.01",
    ).optional(),
    end: queryNumber(
      { min: 0, max: MAX_DAYS },
      "days after the main event, inclusive; by default those of endTime or of the last event",
    ).optional(),
    radiusKm: queryNumber(
      { min: 0, max: HALF_CIRCUMFERENCE_KM },
      "km around the main event, which must be given by its id",
    ).optional(),
  },
  answer: analysisAnswer(
    z.object({
      n: z.int(),
      K: z.number().describe("events · days^(p−1)"),
      sigmaK: sigma,
      c: z.number().describe("days"),
      sigmaC: sigma,
      p: z.number(),
      sigmaP: sigma,
      lnL: z.number(),
      aic: z.number().describe("−2 lnL + 6"),
      ks: z.number().describe("Kolmogorov's distance of the transformed times"),
      ksP: z.number().describe("the probability of at least that distance"),
    }),
    { bin: DecayBin, series: z.never() },
  ),
});

const percentile = z.number().nullable();

const percentiles = {
  p05: percentile,
  p25: percentile,
  p50: percentile,
  p75: percentile,
  p95: percentile,
};

const AttributeDistribution = z.object({
  attribute: z.string(),
  unit: z.string().nullable(),
  n: z.int().describe("values that are known"),
  missing: z.int(),
  zeros: z.int().describe("values of exactly 0, which of uncertainties, RMS and gap are not known"),
  ...percentiles,
  bins: z
    .array(
      z.object({
        from: z.number().describe("inclusive"),
        to: z.number().nullable().describe("null for all above"),
        count: z.int(),
      }),
    )
    .readonly(),
});

const SteppClass = z.object({
  magnitude: z.number().describe("the lowest bin of 0.1 of the class, which has five"),
  n: z.int(),
  completeYears: z
    .number()
    .nullable()
    .describe("back from the end, while σ falls as T^(−1/2); null for too few times with events"),
  completeSince: z.string().nullable(),
  points: z
    .array(
      z.object({
        years: z.number(),
        n: z.int().describe("events of these years"),
        sigma: z.number().nullable().describe("√(n / T) / √T, 1 / year"),
      }),
    )
    .readonly(),
});

export const getQuality = analysis("quality", {
  summary: "How good the solutions of the events are: attributes, quality Q, Stepp's completeness",
  parameters: {},
  answer: analysisAnswer(
    z.object({
      n: z.int(),
      gap: z.object({
        n: z.int().describe("events whose azimuthal gap is known"),
        ...percentiles,
        above180: z.int().describe("events"),
        upTo180Share: z.number().nullable().describe("of those known, 0 to 1"),
      }),
      q: z.object({
        mean: z.number().describe("of 0 to 100, CofC's weights and penalties"),
        documented: z
          .number()
          .describe("the part of the 100 points that depends on known values, 0 to 1, on average"),
        grades: z.record(z.string(), z.int()).describe("A+ 95, A 85, B+ 75, B 65, C 45, D 35, F"),
      }),
      stepp: z.array(SteppClass).describe("by classes of magnitudes of 0.5"),
    }),
    {
      bin: z.object({ q: z.int(), count: z.int() }),
      series: AttributeDistribution,
    },
  ),
});
