import { z } from "zod";
import { analysis, analysisAnswer } from "./analytics.ts";

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

export const getQuality = analysis({
  path: "quality",
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
