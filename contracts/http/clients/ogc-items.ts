import { z } from "zod";
import { compared } from "../../cql2/comparisons.ts";
import { Cql2Fault } from "../../cql2/cql2-fault.ts";

import { timeIs } from "../../cql2/instants.ts";
import type { Operand } from "../../cql2/operand.ts";
import { FILTER_LANGUAGES, readFilter } from "../../cql2/read-filter.ts";
import { inBox } from "../../cql2/spatial.ts";
import type { Expression, Property } from "../../query/expression.ts";
import { asOf } from "../../query/filter-parameters.ts";
import type { EventFilters } from "../../query/filters.ts";
import { parseDecimal, queryInteger, queryNumber, queryText } from "../../query/values.ts";
import { ATTRIBUTES, type Attribute } from "../../seismic-event/attributes.ts";
import { compareTimes } from "../../seismic-event/origin-time.ts";
import { parseTime, type Rounding } from "../../seismic-event/parse-time.ts";
import { unknownCase } from "../../unknown-case.ts";

/** Default and maximum alike: QGIS takes pages of the smaller of both, and GDAL pages of the default. */
export const ITEMS_LIMIT = 10_000;

export const CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84";
/** With heights in metres. */
export const CRS84H = "http://www.opengis.net/def/crs/OGC/0/CRS84h";

/** @throws Cql2Fault */
function boxOf(text: string): Expression {
  return inBox(
    text.split(",").map((part) => parseDecimal(part) ?? Number.NaN),
    null,
  );
}

/** An instant, or an interval that may be open at one end. @throws Cql2Fault */
function periodOf(text: string): Expression {
  const texts = text.split("/");
  const ends = texts.map((end) => timeOrOpen(end, texts.length === 1 ? "nearest" : "down"));
  const [start, end = start] = ends;
  const isPeriod = start !== undefined && end !== undefined && ends.length <= 2;
  if (!isPeriod || (start === null && end === null)) {
    throw new Cql2Fault("is neither a time nor an interval", null);
  }
  if (start !== null && end !== null && compareTimes(start, end) > 0) {
    throw new Cql2Fault("ends before it starts", null);
  }
  return {
    all: [
      ...(start === null ? [] : [timeIs(">=", { first: start, last: start })]),
      ...(end === null ? [] : [timeIs("<=", { first: end, last: end })]),
    ],
  };
}

/** null for an open end, undefined for another text. */
function timeOrOpen(text: string, rounding: Rounding): string | null | undefined {
  if (text === "" || text === "..") return null;
  return parseTime(text, rounding) ?? undefined;
}

const time = z
  .string()
  .refine((text) => parseTime(text) !== null, "is no time")
  .optional()
  .describe("origin time, UTC");

type Equalities = { readonly [N in Property]: z.ZodOptional<z.ZodType<number | string>> };

/** OGC 19-079r2, clause 7: each queryable is a parameter too, and selects the Features that have its value. */
const equalities = Object.fromEntries([
  ["time", time],
  ...Object.entries(ATTRIBUTES).map(([name, attribute]) => [name, schemaFor(attribute).optional()]),
]) as Equalities;

function schemaFor(attribute: Attribute): z.ZodType<number | string> {
  const { kind, values = [], maxLength, meaning, unit } = attribute;
  const description = unit === undefined ? meaning : `${meaning}; ${unit}`;
  switch (kind) {
    case "number":
      return queryNumber(attribute, description);
    case "integer":
      return queryInteger(attribute, description);
    case "enumeration":
      return z.enum(values as [string, ...string[]]).describe(description);
    case "text":
      return queryText()
        .max(maxLength ?? Number.POSITIVE_INFINITY)
        .describe(description);
    default:
      return unknownCase(kind);
  }
}

const featureFilters = {
  bbox: z
    .string()
    .optional()
    .describe(
      "west,south,east,north in degrees; heights in metres may stand after south and north",
    ),
  datetime: z
    .string()
    .optional()
    .describe("an RFC 3339 time, or an interval of two with a slash between; .. for an open end"),
  filter: z.string().optional().describe("CQL2; Features satisfy it and all other parameters"),
  "filter-lang": z
    .enum(FILTER_LANGUAGES)
    .optional()
    .describe("cql2-text by default; cql-text is what GDAL calls it, after a draft"),
  "filter-crs": z.enum([CRS84, CRS84H]).optional().describe("of the geometries in the filter"),
  ...equalities,
};

/** What selects Features; a cursor has it as texts. */
export const FeatureQuery = z.strictObject(featureFilters).superRefine(checkFilters);
export type FeatureQuery = z.output<typeof FeatureQuery>;

export const ItemsQuery = z
  .strictObject({
    limit: queryInteger({ min: 1 }, `features in one answer; ${ITEMS_LIMIT} at most`).optional(),
    ...featureFilters,
    cursor: z.string().optional().describe("of a link to the next page"),
    asOf,
  })
  .superRefine(checkFilters);
export type ItemsQuery = z.output<typeof ItemsQuery>;

const READERS = {
  bbox: ({ bbox }) => (bbox === undefined ? null : boxOf(bbox)),
  datetime: ({ datetime }) => (datetime === undefined ? null : periodOf(datetime)),
  filter: ({ filter, "filter-lang": language = "cql2-text" }) =>
    // Forms send a field that is left empty.
    filter === undefined || filter.trim() === "" ? null : readFilter(filter, language),
} as const satisfies Record<string, (query: FeatureQuery) => Expression | null>;

function checkFilters(query: FeatureQuery, context: z.RefinementCtx): void {
  for (const [name, read] of Object.entries(READERS)) {
    try {
      read(query);
    } catch (error) {
      if (!(error instanceof Cql2Fault)) throw error;
      context.addIssue({ code: "custom", path: [name], message: error.message });
    }
  }
}

/** The same as filters of events. */
export function featureFiltersOf(query: FeatureQuery): Pick<EventFilters, "features"> {
  const equal = Object.keys(equalities).flatMap((name) => {
    const value = query[name as Property];
    return value === undefined ? [] : isEqual(name, value);
  });
  const all = [...Object.values(READERS).flatMap((read) => read(query) ?? []), ...equal];
  if (all.length === 0) return {};
  const texts = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)]);
  return { features: { texts: Object.fromEntries(texts), expression: { all } } };
}

function isEqual(name: string, value: number | string): Expression {
  const at = null;
  const literal: Operand =
    typeof value === "number" ? { kind: "number", value, at } : { kind: "text", value, at };
  return compared({ kind: "property", name, at }, "=", literal);
}
