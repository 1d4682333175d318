import { z } from "zod";
import { asOf } from "../../query/filter-parameters.ts";
import { Id } from "../catalogue.ts";
import { operation } from "../operation.ts";
import { ItemsQuery } from "./ogc-items.ts";

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

const query = z.strictObject({ asOf });

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

export const getOgcQueryables = operation({
  ...common,
  path: "/api/ogc/collections/:id/queryables",
  summary: "JSON Schema of what a collection's Features are filtered by",
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
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR", "NOT_FOUND", "TOO_MANY_EVENTS"],
});

export const getOgcItem = operation({
  ...common,
  path: "/api/ogc/collections/:id/items/:eventId",
  summary: "One earthquake as a Feature",
  params: z.object({ id: Id, eventId: Id }),
  query,
  success: { status: 200, schema: z.string(), contentTypes: [GEOJSON] },
});
