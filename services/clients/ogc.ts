import { z } from "zod";
import { licenseAddress } from "#contracts/catalogue-metadata.ts";
import { FILTER_LANGUAGES } from "#contracts/cql2/filter.ts";
import { Refusal } from "#contracts/errors.ts";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import {
  type Collection,
  CRS84,
  CRS84H,
  featureFiltersOf,
  ITEMS_LIMIT,
  ItemsQuery,
  type Link,
  OGC_CONFORMANCE,
  OPENAPI_30,
  SCHEMA_JSON,
} from "#contracts/http/clients.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { EXPORT_FIELDS, type ExportRow } from "#infra/formats/format-writer.ts";
import { featureOf } from "#infra/formats/json/writer.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { catalogueById, publicCatalogues } from "#projections/read/catalogues.ts";
import { AS_FEATURES } from "#projections/read/clients.ts";
import { priceOf } from "#projections/read/conditions.ts";
import { readEvent } from "#projections/read/events.ts";
import { countExported } from "#projections/read/exports.ts";
import { decodeCursor } from "#projections/read/pages.ts";
import { asGuest, type Reader } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { type EventReads, walkEvents } from "#projections/read/walk.ts";
import type { AnswerPieces, Handlers, TextAnswer } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { contentTag, versionTag } from "../headers.ts";
import { readsFor } from "../turns.ts";

export function handlersOfFeatures(deps: HandlerDeps) {
  const { lookups, publicBaseUrl } = deps;
  return {
    ...handlersOfCollections(deps),

    listOgcItems: listOgcItemsHandler(deps),

    getOgcItem: async ({ params: { id, eventId }, query: { asOf }, reader }) => {
      const request = { catalogueId: id, eventId, asOf, reader: asGuest(reader) };
      const { event, version } = await asCollection(() => readEvent(lookups, request));
      const to = ogcAddresses(publicBaseUrl, asOf);
      const links: Link[] = [
        { href: to.item(id, eventId), rel: "self", type: GEOJSON },
        { href: to.collection(id), rel: "collection", type: "application/json" },
      ];
      return {
        contentType: GEOJSON,
        headers: { etag: versionTag(version.version) },
        shown: version,
        isPublic: true,
        text: featureOf(rowOf(event), `,"links":${JSON.stringify(links)}`),
      };
    },
  } satisfies Partial<Handlers>;
}

/** Only a walk's first page tells how many match: counting them costs as much as reading them. */
const listOgcItemsHandler: (deps: HandlerDeps) => Handlers["listOgcItems"] = (deps) => {
  const { publicBaseUrl, now } = deps;
  return async ({ params: { id }, query, reader: caller, turn, asker, url }) => {
    const reads = readsFor(deps.reads, { turn, asker });
    const reader = asGuest(caller);
    const { asOf, limit: most, cursor: text, ...selection } = query;
    const cursor = text === undefined ? null : decodeCursor(text);
    const filters = featureFiltersOf(selection);
    const limit = Math.min(most ?? cursor?.limit ?? ITEMS_LIMIT, ITEMS_LIMIT);
    const walk = {
      catalogueId: id,
      asOf,
      reader,
      walk: "features",
      order: undefined,
      filters,
      limit,
      cursor,
    } as const;
    const page = await asCollection(() => walkEvents(reads, walk, AS_FEATURES));
    const { events, version, shown, nextCursor } = page;
    const matched = cursor === null ? await countAt(reads, id, { version, reader }, filters) : null;
    const to = ogcAddresses(publicBaseUrl, asOf);
    const head = {
      type: "FeatureCollection",
      timeStamp: now().toISOString(),
      ...(matched !== null && { numberMatched: matched }),
      numberReturned: events.count,
      links: pageLinks(to, id, {
        self: to.self(url),
        next: nextCursor && to.next(id, nextCursor, limit),
      }),
    };
    return {
      contentType: GEOJSON,
      headers: { etag: versionTag(version) },
      shown,
      isPublic: true,
      open: () => collectionOf(head, events.json),
    };
  };
};

/** Of the version that was read, whichever is the latest by now. */
async function countAt(
  { prepared, search }: EventReads,
  catalogueId: string,
  { version, reader }: { readonly version: number; readonly reader: Reader },
  filters: EventFilters,
): Promise<number> {
  if (version === 0) return 0;
  const of = { catalogueId, asOf: String(version), reader };
  const counted = await resolveVersion(prepared, of);
  const cost = { price: priceOf({ rows: counted.eventCount, filters }), events: 0 };
  return search(cost, (pool) => countExported(pool, { version: counted, filters }));
}

/** A private catalogue is no collection, so there it is not found. */
async function asCollection<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "UNAUTHENTICATED") throw error;
    throw new Refusal("NOT_FOUND", "There is no such collection", { cause: error });
  }
}

function pageLinks(
  to: OgcAddresses,
  id: string,
  { self, next }: { readonly self: string; readonly next: string | null },
): Link[] {
  return [
    { href: self, rel: "self", type: GEOJSON },
    { href: to.collection(id), rel: "collection", type: "application/json" },
    ...(next === null ? [] : [{ href: next, rel: "next", type: GEOJSON }]),
  ];
}

async function* collectionOf(head: object, features: readonly Buffer[]): AnswerPieces {
  yield `${JSON.stringify(head).slice(0, -1)},"features":[\n`;
  for (const [i, feature] of features.entries()) {
    if (i > 0) yield ",\n";
    yield feature;
  }
  yield "\n]}\n";
}

function rowOf(event: SeismicEvent): ExportRow {
  return EXPORT_FIELDS.map((name) => {
    const value = event[name];
    if (value === null || value === undefined) return null;
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  });
}

const handlersOfCollections = ({ publicBaseUrl, lookups, pool }: HandlerDeps) =>
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
        collections: catalogues.map((catalogue) => describedCollection(catalogue, to)),
        links: [{ href: to.collections, rel: "self", type: "application/json" }],
      });
    },

    getOgcCollection: async ({ params, query, reader }) => {
      const catalogue = await publicCatalogue(lookups, params.id, reader);
      const to = ogcAddresses(publicBaseUrl, query.asOf);
      return tagged(describedCollection(catalogue, to));
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

function describedCollection(catalogue: Catalogue, to: OgcAddresses): Collection {
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
type OgcAddresses = ReturnType<typeof ogcAddresses>;

const JSON_TYPE = "application/json";
const QUERYABLES = "http://www.opengis.net/def/rel/ogc/1.0/queryables";
const GEOJSON = "application/geo+json";

function ogcAddresses(publicBaseUrl: string, asOf: string | undefined) {
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
