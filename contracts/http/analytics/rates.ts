import { z } from "zod";
import { CALENDAR_UNITS } from "../../query/calendar-units.ts";
import { queryNumber } from "../../query/values.ts";
import { analysis, analysisAnswer } from "./analytics.ts";

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

export const getRates = analysis({
  path: "rates",
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

export const getMoment = analysis({
  path: "moment",
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

export const getInterEventTimes = analysis({
  path: "inter-event",
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

export const getDepths = analysis({
  path: "depths",
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

export const getDensity = analysis({
  path: "density",
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
