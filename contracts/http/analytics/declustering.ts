import { z } from "zod";
import { ClusterRole, DeclusterEstimate, METHOD_SHAPES } from "../../analytics/declustering.ts";
import {
  asOf,
  bodyAsOf,
  bodyFilterShape,
  filteredQuery,
  filterShape,
  ordered,
  queryLimit,
  queryNumber,
} from "../../query/parameters.ts";
import { Accepted } from "../jobs.ts";
import { operation } from "../operation.ts";
import { analysis, analysisAnswer, NO_LISTS } from "./statistics.ts";

/** Most events with a magnitude among those selected. */
export const MAX_DECLUSTERED = 2_000_000;

/** Filters and `asOf` may stand in the query as everywhere, or beside the method. */
const DeclusterQuery = filteredQuery({ ...filterShape, asOf });
const selection = { ...bodyFilterShape, asOf: bodyAsOf };

const GardnerKnopoffBody = z
  .strictObject({ ...METHOD_SHAPES["gardner-knopoff"], ...selection })
  .refine(({ linked, foreshockFraction }) => !linked || foreshockFraction === undefined, {
    path: ["foreshockFraction"],
    message: "has no meaning where windows are linked",
  });

const DeclusterBody = z.discriminatedUnion("method", [
  GardnerKnopoffBody,
  z
    .strictObject({ ...METHOD_SHAPES.reasenberg, ...selection })
    .superRefine(ordered([["tauMin", "tauMax"]])),
  z.strictObject({ ...METHOD_SHAPES["nearest-neighbour"], ...selection }),
]);
export type DeclusterBody = z.output<typeof DeclusterBody>;

const DeclusterAnswer = analysisAnswer(DeclusterEstimate, NO_LISTS)
  .extend({ result: z.uuid().describe("the id of the labels, which are kept for 30 days") })
  .meta({ id: "DeclusterAnswer" });
export type DeclusterAnswer = z.input<typeof DeclusterAnswer>;

export const decluster = operation("POST", "/api/catalogues/:id/analytics/decluster", {
  summary: `Find main events and their foreshocks and aftershocks, of up to ${MAX_DECLUSTERED} events; in the background where many`,
  access: "editor",
  act: "read",
  query: DeclusterQuery,
  body: DeclusterBody,
  example: { method: "gardner-knopoff", window: "gk-table", minMagnitude: 4 },
  answer: DeclusterAnswer,
  accepted: { status: 202, schema: Accepted },
  errors: ["TOO_MANY_EVENTS"],
});

export const LABELS_LIMIT = { default: 1_000, max: 10_000 } as const;

export const listLabels = operation(
  "GET",
  "/api/catalogues/:id/analytics/decluster/:result/events",
  {
    summary: "The cluster and the role of each event, in order of time",
    access: "readers",
    caching: "revalidated",
    query: z.strictObject({
      role: ClusterRole.optional(),
      limit: queryLimit(LABELS_LIMIT, "events in one answer").optional(),
      cursor: z.string().optional().describe("nextCursor of an earlier answer"),
    }),
    answer: z.object({
      result: z.uuid(),
      version: z.int(),
      events: z.array(
        z.object({
          id: z.uuid(),
          cluster: z.int().nullable().describe("null for an event by itself"),
          role: ClusterRole,
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
  },
);

export const createDeclustered = operation(
  "POST",
  "/api/catalogues/:id/analytics/decluster/:result/catalogue",
  {
    summary: "Make a catalogue of the events of one role",
    access: "editor",
    act: "read",
    makesCatalogue: true,
    body: z.strictObject({ name: z.string().default(""), role: ClusterRole }),
    example: { name: "Kaikōura 2016, main events", role: "main" },
    status: 201,
    answer: z.object({ catalogueId: z.uuid() }),
    accepted: { status: 202, schema: Accepted },
    errors: ["MISSING_NAME", "NAME_TOO_LONG", "GONE"],
  },
);

const known = z.number().nullable();
const pair = z.array(z.number()).length(2).readonly().nullable();

/** Events of which nearest neighbours are found at once; more can be declustered in the background. */
export const MAX_NEIGHBOURS = 100_000;

export const getNearestNeighbours = analysis("nearest-neighbour", {
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
