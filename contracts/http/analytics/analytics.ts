import { z } from "zod";
import { asOf, filteredQuery, filterShape } from "../../query/filter-parameters.ts";
import { queryNumber } from "../../query/values.ts";
import { CatalogueParams, Id } from "../catalogue.ts";
import { operation, sharedAt } from "../operation.ts";

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

type AnalysisDefinition<P extends string, Q extends z.ZodRawShape, A extends z.ZodType> = {
  readonly path: P;
  readonly summary: string;
  /** Parameters beside the filters and `asOf`. */
  readonly parameters: Q;
  readonly answer: A;
};

/** A read below `/analytics/`: of the events of a version that satisfy the filters of `/filtered`. */
export function analysis<const P extends string, Q extends z.ZodRawShape, A extends z.ZodType>({
  path,
  summary,
  parameters,
  answer,
}: AnalysisDefinition<P, Q, A>) {
  return operation({
    method: "GET",
    path: `/api/catalogues/:id/analytics/${path}`,
    summary,
    tag: "Analytics",
    access: "readers",
    alsoAt: sharedAt(`/analytics/${path}`),
    rate: "read",
    caching: "revalidated",
    params: CatalogueParams,
    query: filteredQuery({ ...filterShape, asOf, ...parameters }),
    success: { status: 200, schema: answer },
    errors: ["VALIDATION_ERROR", "NOT_FOUND"],
  });
}

export const BIN_WIDTH = { default: 0.1, min: 0.01, max: 2 } as const;

export const binWidth = queryNumber(
  { min: BIN_WIDTH.min, max: BIN_WIDTH.max },
  "magnitude units, default 0.1",
).optional();

export const NO_LISTS = { bin: z.never(), series: z.never() };

const range = { min: z.number().nullable(), max: z.number().nullable() };

export const getAnalyticsSummary = analysis({
  path: "summary",
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

export const getMagnitudeFrequency = analysis({
  path: "magnitude-frequency",
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
