import { z } from "zod";
import { asOf } from "../../query/filter-parameters.ts";
import type { EventFilters } from "../../query/filters.ts";
import { parseDecimal, queryInteger } from "../../query/values.ts";
import {
  EVALUATION_MODES,
  EVALUATION_STATUSES,
  QUAKEML_EVENT_TYPES,
} from "../../seismic-event/enumerations.ts";
import { compareTimes } from "../../seismic-event/origin-time.ts";
import { parseTime, type Rounding } from "../../seismic-event/parse-time.ts";
import { Id } from "../catalogue.ts";
import { operation } from "../operation.ts";

/** OGC API – Features, Part 1: Core 1.0.1 (OGC 17-069r4), with GeoJSON and OpenAPI 3.0. */
export const OGC_CONFORMANCE = [
  "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
  "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
  "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
] as const;

/** Default and maximum alike: QGIS takes pages of the smaller of both, and GDAL pages of the default. */
export const ITEMS_LIMIT = 10_000;

const GEOJSON = "application/geo+json";
export const OPENAPI_30 = "application/vnd.oai.openapi+json;version=3.0";
export const SCHEMA_JSON = "application/schema+json";

const METRES_PER_KM = 1000;

const bbox = z
  .string()
  .refine((text) => boxOf(text) !== null, "is not a box in degrees")
  .describe("west,south,east,north in degrees; heights in metres may stand after south and north");

/** The filters of a `bbox`; null for another text. West of east is a box across the antimeridian. */
export function boxOf(text: string): EventFilters | null {
  const numbers = text.split(",").map((part) => parseDecimal(part) ?? Number.NaN);
  const is3d = numbers.length === 6;
  if (!numbers.every(Number.isFinite) || (!is3d && numbers.length !== 4)) return null;
  const [west = 0, south = 0, low = 0] = numbers;
  const [east = 0, north = 0, high = 0] = numbers.slice(is3d ? 3 : 2);
  const isOnGlobe = Math.abs(west) <= 180 && Math.abs(east) <= 180;
  if (!isOnGlobe || south < -90 || north > 90 || south > north || (is3d && low > high)) return null;
  return {
    minLongitude: west,
    minLatitude: south,
    maxLongitude: east,
    maxLatitude: north,
    ...(is3d && { minDepth: -high / METRES_PER_KM, maxDepth: -low / METRES_PER_KM }),
  };
}

const datetime = z
  .string()
  .refine((text) => periodOf(text) !== null, "is neither a time nor an interval")
  .describe("an RFC 3339 time, or an interval of two with a slash between; .. for an open end");

/** The filters of a `datetime`: an instant, or an interval that may be open at one end; else null. */
export function periodOf(text: string): EventFilters | null {
  const texts = text.split("/");
  const ends = texts.map((end) => timeOrOpen(end, texts.length === 1 ? "nearest" : "down"));
  const [start, end = start] = ends;
  if (start === undefined || end === undefined || ends.length > 2) return null;
  if (start === null && end === null) return null;
  if (start !== null && end !== null && compareTimes(start, end) > 0) return null;
  return { ...(start !== null && { startTime: start }), ...(end !== null && { endTime: end }) };
}

/** null for an open end, undefined for another text. */
function timeOrOpen(text: string, rounding: Rounding): string | null | undefined {
  if (text === "" || text === "..") return null;
  return parseTime(text, rounding) ?? undefined;
}

const version = { asOf };

export const ItemsQuery = z.strictObject({
  limit: queryInteger({ min: 1 }, `features in one answer; ${ITEMS_LIMIT} at most`).optional(),
  bbox: bbox.optional(),
  datetime: datetime.optional(),
  event_type: z.enum(QUAKEML_EVENT_TYPES).optional(),
  evaluation_mode: z.enum(EVALUATION_MODES).optional(),
  evaluation_status: z.enum(EVALUATION_STATUSES).optional(),
  cursor: z.string().optional().describe("of a link to the next page"),
  ...version,
});
export type ItemsQuery = z.output<typeof ItemsQuery>;

const common = {
  method: "GET",
  tag: "OGC API – Features",
  access: "public",
  rate: "clients",
  caching: "revalidated",
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
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

const query = z.strictObject(version);

export const getOgcLanding = operation({
  ...common,
  path: "/api/ogc",
  // The path "/" of the API's own definition, below its server's address.
  alsoAt: [{ path: "/api/ogc/", access: common.access, suffix: "Below" }],
  summary: "Landing page of OGC API – Features",
  query,
  success: { status: 200, schema: z.object({ title: z.string(), description: z.string(), links }) },
});

export const getOgcDefinition = operation({
  ...common,
  path: "/api/ogc/api",
  summary: "OGC API – Features as an OpenAPI 3.0 document",
  query,
  success: { status: 200, schema: z.string(), contentTypes: [OPENAPI_30] },
});

export const getOgcConformance = operation({
  ...common,
  path: "/api/ogc/conformance",
  summary: "The conformance classes of OGC API – Features",
  query,
  success: { status: 200, schema: z.object({ conformsTo: z.array(z.string()) }) },
});

export const listOgcCollections = operation({
  ...common,
  path: "/api/ogc/collections",
  summary: "A collection for each public catalogue",
  query,
  success: { status: 200, schema: z.object({ collections: z.array(Collection), links }) },
});

const CollectionParams = z.object({ id: Id });

export const getOgcCollection = operation({
  ...common,
  path: "/api/ogc/collections/:id",
  summary: "The collection of a public catalogue",
  params: CollectionParams,
  query,
  success: { status: 200, schema: Collection },
});

export const getOgcSchema = operation({
  ...common,
  path: "/api/ogc/collections/:id/schema",
  summary: "JSON Schema of a collection's Features",
  params: CollectionParams,
  query,
  success: { status: 200, schema: z.string(), contentTypes: [SCHEMA_JSON] },
});

export const listOgcItems = operation({
  ...common,
  path: "/api/ogc/collections/:id/items",
  summary: "Earthquakes of a catalogue as Features, page by page of one version",
  params: CollectionParams,
  query: ItemsQuery,
  success: { status: 200, schema: z.string(), contentTypes: [GEOJSON] },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR", "NOT_FOUND"],
});

export const getOgcItem = operation({
  ...common,
  path: "/api/ogc/collections/:id/items/:eventId",
  summary: "One earthquake as a Feature",
  params: z.object({ id: Id, eventId: Id }),
  query,
  success: { status: 200, schema: z.string(), contentTypes: [GEOJSON] },
});
