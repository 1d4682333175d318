import { z } from "zod";
import { licenseAddress } from "#contracts/catalogue-metadata.ts";
import { FILTER_LANGUAGES } from "#contracts/cql2/filter.ts";
import { Refusal } from "#contracts/errors.ts";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import {
  type Collection,
  CRS84,
  CRS84H,
  ITEMS_LIMIT,
  ItemsQuery,
  type Link,
  OGC_CONFORMANCE,
  OPENAPI_30,
  SCHEMA_JSON,
} from "#contracts/http/clients.ts";
import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { catalogueById, publicCatalogues } from "#projections/read/catalogues.ts";
import type { Reader } from "#projections/read/rights.ts";
import type { Handlers, TextAnswer } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { contentTag } from "../headers.ts";

export const handlersOfCollections = ({ publicBaseUrl, lookups, pool }: HandlerDeps) =>
  ({
    getOgcLanding: async ({ query }) =>
      tagged({
        title: "Earthquake catalogues",
        description: "The public catalogues of this service, a collection each",
        links: landingLinks(ogcAddresses(publicBaseUrl, query.asOf)),
      }),

    getOgcConformance: async () => tagged({ conformsTo: [...OGC_CONFORMANCE] }),

    getOgcDefinition: async () => document(OPENAPI_30, ogcDefinition(`${publicBaseUrl}/api/ogc`)),

    getOgcSchema: async ({ params, reader }) => {
      await publicCatalogue(lookups, params.id, reader);
      return document(SCHEMA_JSON, featureSchema());
    },

    getOgcQueryables: async ({ params, reader }) => {
      const catalogue = await publicCatalogue(lookups, params.id, reader);
      const address = ogcAddresses(publicBaseUrl, undefined).queryables(params.id);
      return document(SCHEMA_JSON, queryablesSchema(address, titleOf(catalogue)));
    },

    listOgcCollections: async ({ query, reader }) => {
      const to = ogcAddresses(publicBaseUrl, query.asOf);
      const catalogues = await publicCatalogues(pool, reader);
      return tagged({
        collections: catalogues.map((catalogue) => collectionOf(catalogue, to)),
        links: [{ href: to.collections, rel: "self", type: "application/json" }],
      });
    },

    getOgcCollection: async ({ params, query, reader }) => {
      const catalogue = await publicCatalogue(lookups, params.id, reader);
      const to = ogcAddresses(publicBaseUrl, query.asOf);
      return tagged(collectionOf(catalogue, to));
    },
  }) satisfies Partial<Handlers>;

const JSON_ANSWER = { "application/json": { schema: { type: "object" } } };
const SCHEMA_ANSWER = { "application/schema+json": { schema: { type: "object" } } };
const GEOJSON_ANSWER = { "application/geo+json": { schema: { type: "object" } } };

/**
 * OpenAPI 3.0 of OGC API – Features alone, which the clients of that standard read: the whole
 * interface is described in 3.1. They take pages of the size that `limit` states here.
 */
function ogcDefinition(server: string): object {
  const filters = Object.keys(ItemsQuery.shape);
  return {
    openapi: "3.0.3",
    info: { title: "Earthquake catalogues: OGC API – Features", version: "1.0.0" },
    servers: [{ url: server }],
    paths: {
      "/": get("Landing page", "landing", JSON_ANSWER, ["asOf"]),
      "/conformance": get("Conformance classes", "conformance", JSON_ANSWER, ["asOf"]),
      "/collections": get("Collections", "collections", JSON_ANSWER, ["asOf"]),
      "/collections/{collectionId}": get("A collection", "collection", JSON_ANSWER, [
        "collectionId",
        "asOf",
      ]),
      "/collections/{collectionId}/schema": get(
        "JSON Schema of the Features",
        "schema",
        SCHEMA_ANSWER,
        ["collectionId", "asOf"],
      ),
      "/collections/{collectionId}/queryables": get(
        "What filters may use",
        "queryables",
        SCHEMA_ANSWER,
        ["collectionId", "asOf"],
      ),
      "/collections/{collectionId}/items": get("Features", "items", GEOJSON_ANSWER, [
        "collectionId",
        ...filters,
      ]),
      "/collections/{collectionId}/items/{featureId}": get("One Feature", "item", GEOJSON_ANSWER, [
        "collectionId",
        "featureId",
        "asOf",
      ]),
    },
    components: {
      parameters: {
        collectionId: pathParameter("collectionId", "id of a catalogue"),
        featureId: pathParameter("featureId", "id of an earthquake"),
        ...Object.fromEntries(filters.map((name) => [name, queryParameter(name)])),
      },
    },
  };
}

function get(summary: string, operationId: string, content: object, names: readonly string[]) {
  return {
    get: {
      summary,
      operationId,
      parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
      responses: {
        "200": { description: "success", content },
        default: { description: "an error", content: JSON_ANSWER },
      },
    },
  };
}

function pathParameter(name: string, description: string): object {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

function queryParameter(name: string): object {
  const { description } = z.toJSONSchema(ItemsQuery.shape[name as keyof typeof ItemsQuery.shape], {
    unrepresentable: "any",
  });
  return {
    name,
    in: "query",
    required: false,
    ...(description !== undefined && { description }),
    ...parameterSchema(name),
  };
}

const TYPES = {
  number: "number",
  integer: "integer",
  text: "string",
  enumeration: "string",
} as const satisfies Record<Attribute["kind"], string>;

/** JSON Schemas of the properties that are one value, by name. */
const PROPERTY_SCHEMAS: Readonly<Record<string, object>> = {
  time: { type: "string", format: "date-time", description: "origin time, UTC" },
  ...Object.fromEntries(
    Object.entries(ATTRIBUTES).map(([name, attribute]) => [name, attributeSchema(attribute)]),
  ),
};

const SCHEMAS: Readonly<Record<string, object>> = {
  ...PROPERTY_SCHEMAS,
  limit: { type: "integer", minimum: 1, maximum: ITEMS_LIMIT, default: ITEMS_LIMIT },
  bbox: { type: "array", minItems: 4, maxItems: 6, items: { type: "number" } },
  "filter-lang": { type: "string", enum: FILTER_LANGUAGES, default: "cql2-text" },
  "filter-crs": { type: "string", format: "uri", default: CRS84 },
};

function parameterSchema(name: string): object {
  const schema = SCHEMAS[name] ?? { type: "string" };
  return name === "bbox" ? { style: "form", explode: false, schema } : { schema };
}

const GREGORIAN = "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian";

/** @throws Refusal NOT_FOUND, also for a private catalogue, which is no collection */
async function publicCatalogue(lookups: Lookups, id: string, reader: Reader): Promise<Catalogue> {
  const catalogue = await catalogueById(lookups, id, reader);
  if (!catalogue?.is_public) throw new Refusal("NOT_FOUND", "There is no such collection");
  return catalogue;
}

function collectionOf(catalogue: Catalogue, to: OgcAddresses): Collection {
  const { id, event_count: count, version, metadata } = catalogue;
  const extent = extentOf(catalogue);
  return {
    id,
    title: titleOf(catalogue),
    description: metadata?.description ?? `${count} earthquakes, version ${version}`,
    itemType: "feature",
    ...(extent && { extent }),
    crs: [CRS84, CRS84H],
    links: [...collectionLinks(to, id), ...licenseLinks(metadata?.license)],
  };
}

const titleOf = ({ name, metadata }: Catalogue): string => metadata?.title ?? name;

function licenseLinks(license: string | undefined): Link[] {
  if (license === undefined) return [];
  return [{ href: licenseAddress(license), rel: "license", type: "text/html" }];
}

/**
 * Of the latest version; absent without events. Across the antimeridian west is the greater (OGC API –
 * Features, 7.14.2).
 */
function extentOf({ bbox, start_time, end_time }: Catalogue): Collection["extent"] | null {
  if (!bbox) return null;
  const interval = [[start_time, end_time]];
  return { spatial: { bbox: [[...bbox]], crs: CRS84 }, temporal: { interval, trs: GREGORIAN } };
}

function document(contentType: string, content: object): TextAnswer {
  const text = JSON.stringify(content);
  return { contentType, text, headers: { etag: contentTag(text) }, isPublic: true };
}

/** A public answer, whose tag is that of its content. */
function tagged<Body extends object>(body: Body) {
  const headers = { etag: contentTag(JSON.stringify(body)) };
  return { body, headers, isPublic: true };
}

function attributeSchema({ kind, values, meaning, unit, min, max, maxLength }: Attribute): object {
  return {
    type: TYPES[kind],
    description: unit === undefined ? meaning : `${meaning}; ${unit}`,
    ...(values && { enum: values }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(maxLength !== undefined && { maxLength }),
  };
}

/**
 * JSON Schema of a Feature. Clients take the types of attributes from it where the first Features have
 * none of their values.
 */
function featureSchema(): object {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    required: ["type", "id", "geometry", "properties"],
    properties: {
      type: { type: "string", enum: ["Feature"] },
      id: { type: "string", format: "uuid" },
      geometry: {
        type: "object",
        required: ["type", "coordinates"],
        properties: {
          type: { type: "string", enum: ["Point"] },
          coordinates: { type: "array", minItems: 2, maxItems: 3, items: { type: "number" } },
        },
      },
      properties: {
        type: "object",
        properties: {
          ...PROPERTY_SCHEMAS,
          focal_mechanisms: { type: "array" },
          extra: { type: "object" },
        },
      },
    },
  };
}

/**
 * What Features are filtered by (OGC 19-079r2, clause 6).
 * @param address its own, without a query
 */
function queryablesSchema(address: string, title: string): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: address,
    title,
    type: "object",
    properties: {
      geometry: {
        title: "epicentre",
        description: "place of the epicentre, WGS 84",
        format: "geometry-point",
        "x-ogc-role": "primary-geometry",
      },
      ...Object.fromEntries(
        Object.entries(PROPERTY_SCHEMAS).map(([name, schema]) => [
          name,
          { title: name.replaceAll("_", " "), ...schema },
        ]),
      ),
    },
    additionalProperties: false,
  };
}

/** Addresses of OGC API – Features; `asOf` is carried from page to page. */
export type OgcAddresses = ReturnType<typeof ogcAddresses>;

const JSON_TYPE = "application/json";
const QUERYABLES = "http://www.opengis.net/def/rel/ogc/1.0/queryables";
export const GEOJSON = "application/geo+json";

export function ogcAddresses(publicBaseUrl: string, asOf: string | undefined) {
  const root = `${publicBaseUrl}/api/ogc`;
  const suffix = asOf === undefined ? "" : `?${new URLSearchParams({ asOf })}`;
  const collection = (id: string) => `${root}/collections/${id}`;
  return {
    landing: root + suffix,
    definition: `${root}/api${suffix}`,
    conformance: `${root}/conformance${suffix}`,
    collections: `${root}/collections${suffix}`,
    collection: (id: string) => collection(id) + suffix,
    schema: (id: string) => `${collection(id)}/schema${suffix}`,
    queryables: (id: string) => `${collection(id)}/queryables${suffix}`,
    items: (id: string) => `${collection(id)}/items${suffix}`,
    item: (id: string, eventId: string) => `${collection(id)}/items/${eventId}${suffix}`,
    documentation: `${publicBaseUrl}/api/docs`,
    /** Of an answer: as it was asked for, and with a version that a header has asked for. */
    self(url: string): string {
      const address = new URL(publicBaseUrl + url);
      if (asOf !== undefined && !address.searchParams.has("asOf")) {
        address.searchParams.set("asOf", asOf);
      }
      return address.href;
    },
    /** Of a walk: its cursor tells version, filters and place. */
    next: (id: string, cursor: string, limit: number) =>
      `${collection(id)}/items?${new URLSearchParams({ limit: String(limit), cursor })}`,
  };
}

function landingLinks(to: OgcAddresses): Link[] {
  return [
    { href: to.landing, rel: "self", type: JSON_TYPE, title: "This page" },
    { href: to.definition, rel: "service-desc", type: OPENAPI_30, title: "The API" },
    { href: to.documentation, rel: "service-doc", type: "text/html", title: "Documentation" },
    { href: to.conformance, rel: "conformance", type: JSON_TYPE, title: "Conformance classes" },
    { href: to.collections, rel: "data", type: JSON_TYPE, title: "Collections" },
  ];
}

/** GDAL looks for the schema under `describedBy`, the registered relation is `describedby`. */
function collectionLinks(to: OgcAddresses, id: string): Link[] {
  return [
    { href: to.collection(id), rel: "self", type: JSON_TYPE },
    { href: to.items(id), rel: "items", type: GEOJSON, title: "The earthquakes" },
    { href: to.queryables(id), rel: QUERYABLES, type: SCHEMA_JSON, title: "What filters may use" },
    { href: to.schema(id), rel: "describedby", type: SCHEMA_JSON },
    { href: to.schema(id), rel: "describedBy", type: SCHEMA_JSON },
  ];
}
