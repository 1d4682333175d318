import { z } from "zod";
import { queryNumber } from "../../query/values.ts";
import { analysis, analysisAnswer } from "./analytics.ts";

const known = z.number().nullable();
const pair = z.array(z.number()).length(2).readonly().nullable();

/** Events of which nearest neighbours are found at once; more can be declustered in the background. */
export const MAX_NEIGHBOURS = 100_000;

export const getNearestNeighbours = analysis({
  path: "nearest-neighbour",
  summary: "How far events are from their nearest earlier ones in space, time and magnitude",
  parameters: {
    df: queryNumber({ min: 0, max: 3 }, "fractal dimension of epicentres, default 1.6").optional(),
    b: queryNumber({ min: 0, max: 3 }, "b-value, default 1").optional(),
    threshold: queryNumber({}, "log₁₀ η; without it that of the distribution").optional(),
  },
  answer: analysisAnswer(
    z.object({
      n: z.int().describe("events with an earlier one"),
      logEtaMedian: known,
      logEtaMean: known,
      weight: known.describe("part of the first of two fitted normal distributions"),
      means: pair,
      sigmas: pair,
      threshold: z.number().describe("log₁₀ η"),
      ashmanD: known.describe("how far the two distributions are apart; two parts from 2 up"),
      background: z.int().describe("events without a nearer one than the threshold"),
      families: z.int(),
      largest: z.int().describe("events of the largest family"),
    }),
    {
      bin: z.object({ from: z.number(), to: z.number(), count: z.int() }).describe("of log₁₀ η"),
      series: z
        .object({ logT: z.number(), logR: z.number(), width: z.number(), count: z.int() })
        .describe("lower edges of the cells of rescaled time and distance that have events"),
    },
  ),
});
