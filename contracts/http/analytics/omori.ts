import { z } from "zod";
import { HALF_CIRCUMFERENCE_KM } from "../../query/filters.ts";
import { queryNumber } from "../../query/values.ts";
import { parseTime } from "../../seismic-event/parse-time.ts";
import { analysis, analysisAnswer } from "./analytics.ts";

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

export const getOmori = analysis({
  path: "omori",
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
