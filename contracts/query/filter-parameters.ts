import { z } from "zod";
import { bounded, type NumberBounds } from "../bounded.ts";
import { unknownCase } from "../unknown-case.ts";
import type { Parameter, ValueOf } from "./filter.ts";
import {
  type EventFilters,
  FILTER_PARAMETERS,
  type FilterName,
  type FilterParameters,
  problemsOf,
} from "./filters.ts";
import { queryInteger, queryList, queryNumber, queryText, queryTime } from "./values.ts";

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
