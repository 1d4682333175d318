/**
 * What clients of the field ask, each after its standard: the FDSN event service, USGS's summary
 * feeds, OGC API – Features.
 */

import { z } from "zod";
import { unknownCase } from "../cases.ts";
import { FILTER_LANGUAGES, readFilter } from "../cql2/filter.ts";
import { Cql2Fault, compared, inBox, type Operand, timeIs } from "../cql2/predicates.ts";
import { documentedParameters } from "../fdsn/parameters.ts";
import type { Expression, Property } from "../query/expression.ts";
import type { EventFilters } from "../query/filters.ts";
import { asOf, parseDecimal, queryInteger, queryNumber, queryText } from "../query/parameters.ts";
import { ATTRIBUTES, type Attribute } from "../seismic-event/attributes.ts";
import { compareTimes, parseTime, type Rounding } from "../seismic-event/time.ts";
import { DAY_MS, HOUR_MS } from "../units.ts";
import { type Address, Id, operation } from "./operation.ts";

/** Where the FDSN event service lies below each of its bases. */
const SERVICE = "/fdsnws/event/1";

/** A time in a path, to the second, UTC: ISO 8601's basic form, without colons, which clients refuse. */
const PATH_TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * The bases of the service: a catalogue, a version of it, the version of a time, the same of a shared
 * catalogue, and the root, where a parameter chooses the catalogue.
 */
const BASES: readonly Address[] = [
  { path: "/api/catalogues/:id", access: "readers", suffix: "" },
  { path: "/api/catalogues/:id/versions/:version", access: "readers", suffix: "AtVersion" },
  { path: "/api/catalogues/:id/at/:at", access: "readers", suffix: "AtTime" },
  { path: "/api/share/:token", access: "share", suffix: "Shared" },
  { path: "/api/share/:token/versions/:version", access: "share", suffix: "SharedAtVersion" },
  { path: "/api/share/:token/at/:at", access: "share", suffix: "SharedAtTime" },
  { path: "", access: "public", suffix: "AtRoot" },
];

function below(bases: readonly Address[], path: string, suffix = ""): Address[] {
  return bases.map((base) => ({ ...base, path: base.path + path, suffix: base.suffix + suffix }));
}

const text = z.string();

export const FdsnParams = z.object({
  id: Id.optional(),
  version: z
    .string()
    .regex(/^\d{1,9}$/)
    .optional(),
  at: z
    .string()
    .regex(PATH_TIME)
    .transform((text) => text.replace(PATH_TIME, "$1-$2-$3T$4:$5:$6Z"))
    .pipe(z.iso.datetime())
    .optional(),
  format: z.string().optional(),
});
export type FdsnParams = z.output<typeof FdsnParams>;

/** What the methods have in common. */
function ofMethod(method: string, summary: string) {
  return {
    access: "readers",
    alsoAt: below(BASES.slice(1), `${SERVICE}/${method}`),
    summary,
    rate: "clients",
    caching: "revalidated",
    errorsAs: "fdsn",
    errors: ["NOT_FOUND", "TOO_MANY_EVENTS"],
    params: FdsnParams,
  } as const;
}

const TEXT = "text/plain; charset=utf-8";
const XML = "application/xml";

export const fdsnQuery = operation("GET", `/api/catalogues/:id${SERVICE}/query`, {
  ...ofMethod("query", "Events, as FDSN event 1.2 and ComCat"),
  alsoAt: [
    ...below(BASES.slice(1), `${SERVICE}/query`),
    ...below(BASES, `${SERVICE}/query.:format`, "WithFormat"),
  ],
  errors: ["GONE", "TOO_MANY_EVENTS"],
  canBeEmpty: true,
  query: "fdsn",
  documentedQuery: documentedParameters("query"),
  answer: text.describe("the events; 204 or 404 for none in xml and text"),
  contentTypes: [
    XML,
    TEXT,
    "application/json; charset=utf-8",
    "text/csv; charset=utf-8",
    "application/vnd.google-earth.kml+xml",
  ],
});

export const fdsnCount = operation("GET", `/api/catalogues/:id${SERVICE}/count`, {
  ...ofMethod("count", "The number of events that a query selects"),
  query: "fdsn",
  documentedQuery: documentedParameters("count"),
  answer: text,
  contentTypes: [TEXT, "application/json; charset=utf-8", XML],
});

const noParameters = z.strictObject({});

export const fdsnCatalogs = operation("GET", `/api/catalogues/:id${SERVICE}/catalogs`, {
  ...ofMethod("catalogs", "The values of the parameter catalog"),
  query: noParameters,
  answer: text,
  contentTypes: [XML],
});

export const fdsnContributors = operation("GET", `/api/catalogues/:id${SERVICE}/contributors`, {
  ...ofMethod("contributors", "The values of the parameter contributor"),
  query: noParameters,
  answer: text,
  contentTypes: [XML],
});

export const fdsnVersion = operation("GET", `/api/catalogues/:id${SERVICE}/version`, {
  ...ofMethod("version", "The version of the event service"),
  query: noParameters,
  answer: text,
  contentTypes: [TEXT],
});

export const fdsnWadl = operation("GET", `/api/catalogues/:id${SERVICE}/application.wadl`, {
  ...ofMethod("application.wadl", "The event service as a WADL document"),
  query: noParameters,
  answer: text,
  contentTypes: [XML],
});

export const fdsnApplicationJson = operation(
  "GET",
  `/api/catalogues/:id${SERVICE}/application.json`,
  {
    ...ofMethod("application.json", "The lists of values, as ComCat"),
    query: noParameters,
    answer: text,
    contentTypes: ["application/json; charset=utf-8"],
  },
);

/** Smallest magnitude of each feed; null for all events. */
export const FEED_MAGNITUDES = {
  all: null,
  "1.0": 0.95,
  "2.5": 2.45,
  "4.5": 4.45,
  /** The magnitude from which USGS's significance, 100·M²/6.5 rounded, is 600 or more. */
  significant: Math.sqrt((599.5 * 6.5) / 100),
} as const;

/** Time before now that each feed covers, milliseconds. */
export const FEED_PERIODS = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
} as const;

export const FEED_FORMATS = {
  geojson: "application/json; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  quakeml: "application/xml",
  atom: "application/atom+xml",
} as const;

export type FeedName = {
  readonly magnitude: keyof typeof FEED_MAGNITUDES;
  readonly period: keyof typeof FEED_PERIODS;
  readonly format: keyof typeof FEED_FORMATS;
};

const NAME = /^(all|1\.0|2\.5|4\.5|significant)_(hour|day|week|month)\.(geojson|csv|quakeml|atom)$/;

/** A feed by the name of its file, for example `2.5_day.geojson`. */
export function feedOf(name: string): FeedName {
  const [, magnitude, period, format] = NAME.exec(name) ?? [];
  return { magnitude, period, format } as FeedName;
}

/** As USGS's real-time summary feeds, of one catalogue. */
export const getSummaryFeed = operation("GET", "/api/catalogues/:id/feed/v1.0/summary/:name", {
  summary: "The earthquakes of the past hour, day, week or month, as USGS's summary feeds",
  access: "readers",
  rate: "clients",
  caching: "revalidated",
  params: z.object({ id: Id, name: z.string().regex(NAME) }),
  answer: z.string().describe("the feed"),
  contentTypes: Object.values(FEED_FORMATS),
  errors: ["TOO_MANY_EVENTS"],
});

/**
 * One event, as USGS's detail feed. ComCat's GeoJSON leads here: of an address with a query libcomcat
 * takes the event's id alone, and asks USGS for it.
 */
export const getEventDetail = operation("GET", "/api/catalogues/:id/feed/v1.0/detail/:name", {
  access: "readers",
  alsoAt: below(BASES.slice(1, -1), "/feed/v1.0/detail/:name"),
  summary: "One earthquake by any of its ids, as USGS's detail feed",
  rate: "clients",
  caching: "revalidated",
  params: FdsnParams.omit({ format: true }).extend({ name: z.string().regex(/.\.geojson$/s) }),
  answer: z.string().describe("a Feature"),
  contentTypes: [FEED_FORMATS.geojson],
  errors: ["GONE", "TOO_MANY_EVENTS"],
});

const SPECIFICATIONS = "http://www.opengis.net/spec";

/**
 * OGC API – Features, Part 1: Core 1.0.1 (OGC 17-069r4), with GeoJSON and OpenAPI 3.0; Part 3: Filtering 1.0
 * (OGC 19-079r2); CQL2 1.0 (OGC 21-065r2).
 */
export const OGC_CONFORMANCE: readonly string[] = [
  ...["core", "geojson", "oas30"].map(
    (name) => `${SPECIFICATIONS}/ogcapi-features-1/1.0/conf/${name}`,
  ),
  ...["queryables", "queryables-query-parameters", "filter", "features-filter"].map(
    (name) => `${SPECIFICATIONS}/ogcapi-features-3/1.0/conf/${name}`,
  ),
  ...[
    "cql2-text",
    "cql2-json",
    "basic-cql2",
    "advanced-comparison-operators",
    "basic-spatial-functions",
    "basic-spatial-functions-plus",
    "temporal-functions",
  ].map((name) => `${SPECIFICATIONS}/cql2/1.0/conf/${name}`),
];

const GEOJSON = "application/geo+json";
export const OPENAPI_30 = "application/vnd.oai.openapi+json;version=3.0";
export const SCHEMA_JSON = "application/schema+json";

const common = {
  access: "public",
  rate: "clients",
  caching: "revalidated",
} as const;

const Link = z.object({
  href: z.string(),
  rel: z.string(),
  type: z.string().optional(),
  title: z.string().optional(),
});
export type Link = z.infer<typeof Link>;
const links = z.array(Link);

const Extent = z.object({
  spatial: z.object({ bbox: z.array(z.array(z.number())), crs: z.string() }).optional(),
  temporal: z
    .object({ interval: z.array(z.array(z.string().nullable())), trs: z.string() })
    .optional(),
});

export const Collection = z
  .object({
    id: z.uuid(),
    title: z.string(),
    description: z.string(),
    itemType: z.literal("feature"),
    extent: Extent.optional(),
    crs: z.array(z.string()),
    links,
  })
  .meta({ id: "Collection" });
export type Collection = z.infer<typeof Collection>;

const versionQuery = z.strictObject({ asOf });

export const getOgcLanding = operation("GET", "/api/ogc", {
  ...common,
  // The path "/" of the API's own definition, below its server's address.
  alsoAt: [{ path: "/api/ogc/", access: common.access, suffix: "Below" }],
  summary: "Landing page of OGC API – Features",
  query: versionQuery,
  answer: z.object({ title: z.string(), description: z.string(), links }),
});

export const getOgcDefinition = operation("GET", "/api/ogc/api", {
  ...common,
  summary: "OGC API – Features as an OpenAPI 3.0 document",
  query: versionQuery,
  answer: z.string(),
  contentTypes: [OPENAPI_30],
});

export const getOgcConformance = operation("GET", "/api/ogc/conformance", {
  ...common,
  summary: "The conformance classes of OGC API – Features",
  query: versionQuery,
  answer: z.object({ conformsTo: z.array(z.string()) }),
});

export const listOgcCollections = operation("GET", "/api/ogc/collections", {
  ...common,
  summary: "A collection for each public catalogue",
  query: versionQuery,
  answer: z.object({ collections: z.array(Collection), links }),
});

export const getOgcCollection = operation("GET", "/api/ogc/collections/:id", {
  ...common,
  summary: "The collection of a public catalogue",
  query: versionQuery,
  answer: Collection,
});

export const getOgcSchema = operation("GET", "/api/ogc/collections/:id/schema", {
  ...common,
  summary: "JSON Schema of a collection's Features",
  query: versionQuery,
  answer: z.string(),
  contentTypes: [SCHEMA_JSON],
});

export const getOgcQueryables = operation("GET", "/api/ogc/collections/:id/queryables", {
  ...common,
  summary: "JSON Schema of what a collection's Features are filtered by",
  query: versionQuery,
  answer: z.string(),
  contentTypes: [SCHEMA_JSON],
});

const READERS = {
  bbox: ({ bbox }) => (bbox === undefined ? null : boxOf(bbox)),
  datetime: ({ datetime }) => (datetime === undefined ? null : periodOf(datetime)),
  filter: ({ filter, "filter-lang": language = "cql2-text" }) =>
    // Forms send a field that is left empty.
    filter === undefined || filter.trim() === "" ? null : readFilter(filter, language),
} as const satisfies Record<string, (query: FeatureQuery) => Expression | null>;

const time = z
  .string()
  .refine((text) => parseTime(text) !== null, "is no time")
  .optional()
  .describe("origin time, UTC");

/** OGC 19-079r2, clause 7: each queryable is a parameter too, and selects the Features that have its value. */
const equalities = Object.fromEntries([
  ["time", time],
  ...Object.entries(ATTRIBUTES).map(([name, attribute]) => [name, schemaFor(attribute).optional()]),
]) as { readonly [N in Property]: z.ZodOptional<z.ZodType<number | string>> };

/** With heights in metres. */
export const CRS84H = "http://www.opengis.net/def/crs/OGC/0/CRS84h";

export const CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84";

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

/** Default and maximum alike: QGIS takes pages of the smaller of both, and GDAL pages of the default. */
export const ITEMS_LIMIT = 10_000;

export const ItemsQuery = z
  .strictObject({
    limit: queryInteger({ min: 1 }, `features in one answer; ${ITEMS_LIMIT} at most`).optional(),
    ...featureFilters,
    cursor: z.string().optional().describe("of a link to the next page"),
    asOf,
  })
  .superRefine(checkFilters);

export const listOgcItems = operation("GET", "/api/ogc/collections/:id/items", {
  ...common,
  summary: "Earthquakes of a catalogue as Features, page by page of one version",
  query: ItemsQuery,
  answer: z.string(),
  contentTypes: [GEOJSON],
  errors: ["TOO_MANY_EVENTS"],
});

export const getOgcItem = operation("GET", "/api/ogc/collections/:id/items/:eventId", {
  ...common,
  summary: "One earthquake as a Feature",
  query: versionQuery,
  answer: z.string(),
  contentTypes: [GEOJSON],
});

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

/** What selects Features; a cursor has it as texts. */
export const FeatureQuery = z.strictObject(featureFilters).superRefine(checkFilters);
export type FeatureQuery = z.output<typeof FeatureQuery>;

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
