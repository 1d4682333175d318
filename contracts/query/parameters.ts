/**
 * Parameters of queries, and members of bodies alike, as schemas: values, lists, filters,
 * versions, reasons.
 */

import { z } from "zod";
import { unknownCase } from "../cases.ts";
import { parseTime } from "../seismic-event/time.ts";
import { isNumeric } from "../seismic-event/written-numbers.ts";
import {
  type EventFilters,
  FILTER_PARAMETERS,
  type FilterName,
  type FilterParameters,
  isAbove,
  type NumberBounds,
  type Parameter,
  problemsOf,
  type ValueOf,
} from "./filters.ts";

/** The schema of a number with inclusive bounds, of which either may be absent. */
export function bounded<S extends z.ZodNumber>(schema: S, { min, max }: NumberBounds): S {
  let result = schema;
  if (min !== undefined) result = result.min(min) as S;
  if (max !== undefined) result = result.max(max) as S;
  return result;
}

/** The number of a decimal text, exponents allowed; null for any other text. */
export function parseDecimal(text: string): number | null {
  return isNumeric(text.trim()) ? Number(text) : null;
}

function decimal(text: unknown): unknown {
  return typeof text === "string" ? (parseDecimal(text) ?? text) : text;
}

/** A decimal number within inclusive bounds; infinities and NaN are refused. */
export function queryNumber(bounds: NumberBounds, description: string) {
  return z.preprocess(decimal, bounded(z.number(), bounds)).describe(description);
}

/** An integer within inclusive bounds. */
export function queryInteger(bounds: NumberBounds, description: string) {
  return z.preprocess(decimal, bounded(z.int(), bounds)).describe(description);
}

const NO_TIME =
  "not an ISO 8601 time: write it as 2024-02-01, 2024-02-01T12:34:56 or 2024-02-01T12:34:56.789Z";

/** An ISO 8601 time, converted to canonical form; digits beyond microseconds are cut. */
export function queryTime(description: string) {
  return z
    .string()
    .transform((text, context) => {
      const time = parseTime(text, "down");
      if (time === null) context.addIssue({ code: "custom", message: NO_TIME });
      return time ?? z.NEVER;
    })
    .pipe(z.string())
    .describe(description);
}

/** Text without NUL, which PostgreSQL cannot store. */
export function queryText() {
  return z.string().refine((text) => !text.includes("\0"), "holds a NUL character");
}

/** Values of a comma-separated list, compared without regard to case; empty elements are refused. */
export function queryList(description: string) {
  return queryText()
    .transform((text, context) => {
      const values = text.split(",").map((value) => value.trim().toLowerCase());
      if (values.includes("")) context.addIssue({ code: "custom", message: "empty list member" });
      return values;
    })
    .pipe(z.array(z.string()))
    .describe(`${description}; comma list, case is ignored`);
}

/** The name of an entry of a table. */
export function nameIn<const T extends Readonly<Record<string, unknown>>>(table: T) {
  return z.enum(Object.keys(table) as (keyof T & string)[]);
}

/** Refuses a lower bound above its upper bound; the error names the lower parameter. */
export function ordered(
  pairs: readonly (readonly [low: string, high: string])[],
): (values: Record<string, unknown>, context: z.RefinementCtx) => void {
  return (values, context) => {
    for (const [low, high] of pairs) {
      if (isAbove(values[low], values[high])) {
        context.addIssue({ code: "custom", path: [low], message: `is above ${high}` });
      }
    }
  };
}

export const LONG_LIST_LIMIT = { default: 1000, max: 1000 } as const;

type Limit = { readonly default: number; readonly max: number };

/** How much one answer has at most. The default stands in the description alone. */
export function queryLimit({ default: standard, max }: Limit, what: string) {
  return queryInteger({ min: 1, max }, `${what}, default ${standard}`);
}

/** Parameters of a list that grows for as long as the service is used. */
export const longListShape = {
  limit: queryLimit(LONG_LIST_LIMIT, "members of one answer").default(LONG_LIST_LIMIT.default),
  cursor: z.string().optional().describe("nextCursor of an earlier answer"),
};

/** Beside the list in an answer. */
export const nextCursor = z
  .string()
  .optional()
  .describe("of the members that follow, while there are more");

/** Characters of a reason, at most. */
export const MAX_REASON = 500;

/** A parameter of writes of events; it is in no message to other programs. */
export const reason = queryText()
  .trim()
  .min(1)
  .max(MAX_REASON)
  .optional()
  .describe("why, in words: shown in the history of the events and in the audit");

/** The query of a write of events. */
export const WriteQuery = z.strictObject({ reason });

/** Magnitudes from `magnitude` up are complete from the beginning of a year, in UTC. */
export type CompleteSince = { readonly magnitude: number; readonly since: number };

const CompleteSince = z.object({ magnitude: z.number(), since: z.int() });

const YEAR = /^\d{4}$/;

/** `2.0:2012,2.5:2000`: magnitudes ascending, larger ones from the same or an earlier year. */
export function completeYears(description: string) {
  return queryText()
    .transform((text, context) => {
      const classes = text.split(",").map((part): CompleteSince | null => {
        const [magnitude = "", year = "", ...rest] = part.trim().split(":");
        const value = parseDecimal(magnitude);
        if (value === null || !YEAR.test(year) || rest.length > 0) return null;
        return { magnitude: value, since: Number(year) };
      });
      const known = classes.filter((one) => one !== null);
      if (known.length === classes.length && isOrdered(known)) return known;
      const message = "not like 2.0:2012,2.5:2000 with ascending magnitudes and descending years";
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .pipe(z.array(CompleteSince))
    .describe(`${description}, as 2.0:2012,2.5:2000`);
}

function isOrdered(classes: readonly CompleteSince[]): boolean {
  return classes.every((one, i) => {
    const next = classes[i + 1];
    return next === undefined || (next.magnitude > one.magnitude && next.since <= one.since);
  });
}

/** The version to read (`contracts/docs/versions.md`). */
export const asOf = z
  .string()
  .optional()
  .describe("a version number or an ISO 8601 time; without it the latest committed version");

/** Whether an event's bulletin itself is answered. */
export const includedBulletin = z
  .enum(["bulletin"])
  .optional()
  .describe("adds the bulletin of each event that has one");

/** The same in a body, where a version number may also be a number. */
export const bodyAsOf = z
  .preprocess((value) => (typeof value === "number" ? String(value) : value), z.string())
  .optional()
  .meta({ type: ["string", "integer"], description: asOf.description });

type Schema<P, Input> = z.ZodOptional<z.ZodType<ValueOf<P>, Input>>;

/** The filters as parameters of a query. */
export const filterShape = shapeOf<{
  [N in FilterName]: Schema<FilterParameters[N], string>;
}>((parameter) => schemaOf(parameter, { number: queryNumber, integer: queryInteger }));

/** The same in a body, where numbers are numbers. */
export const bodyFilterShape = shapeOf<{
  [N in FilterName]: Schema<
    FilterParameters[N],
    ValueOf<FilterParameters[N]> extends number ? number : string
  >;
}>((parameter) =>
  schemaOf(parameter, {
    number: (bounds, description) => bounded(z.number(), bounds).describe(description),
    integer: (bounds, description) => bounded(z.int(), bounds).describe(description),
  }),
);

function shapeOf<S extends z.ZodRawShape>(schemaOfEach: (parameter: Parameter) => z.ZodType): S {
  const shape = Object.entries<Parameter>(FILTER_PARAMETERS).map(([name, parameter]) => [
    name,
    schemaOfEach(parameter).optional(),
  ]);
  return Object.fromEntries(shape);
}

type Numbers = Readonly<
  Record<"number" | "integer", (bounds: NumberBounds, description: string) => z.ZodType>
>;

function schemaOf(parameter: Parameter, numbers: Numbers): z.ZodType {
  const { description } = parameter;
  switch (parameter.kind) {
    case "number":
    case "integer":
      return numbers[parameter.kind](parameter.bounds, description);
    case "time":
      return queryTime(description);
    case "list":
      return parameter.of === undefined
        ? queryList(description)
        : queryList(description).pipe(z.array(z.enum(parameter.of)));
    case "text":
      return queryText()
        .superRefine((text, context) => {
          const message = parameter.faultOf(text);
          if (message !== null) context.addIssue({ code: "custom", message });
        })
        .describe(description);
    case "id":
      return z.uuid().toLowerCase().describe(description);
    default:
      return unknownCase(parameter);
  }
}

/** A query with filters among its parameters, which have to agree with each other. */
export function filteredQuery<Q extends z.ZodRawShape>(shape: Q) {
  return z.strictObject(shape).superRefine((values, context) => {
    for (const { parameter, message } of problemsOf(values as EventFilters)) {
      context.addIssue({ code: "custom", path: [parameter], message });
    }
  });
}

/** The same as a member of a body. */
export const BodyFilters = filteredQuery(bodyFilterShape);

/** Filters alone, as texts of a query. */
export const FilterTexts = filteredQuery(filterShape);

/** Newest or largest first, except with `-asc`; ties by time, then id, in the same direction. */
export const EventOrder = z.enum(["time", "time-asc", "magnitude", "magnitude-asc"]);
export type EventOrder = z.output<typeof EventOrder>;

export const orderBy = EventOrder.optional().describe("default time, newest first");
