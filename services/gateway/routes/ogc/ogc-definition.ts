import { z } from "zod";
import { FILTER_LANGUAGES } from "#contracts/cql2/read-filter.ts";
import { CRS84, ITEMS_LIMIT, ItemsQuery } from "#contracts/http/clients/ogc-items.ts";
import { PROPERTY_SCHEMAS } from "./feature-schema.ts";

const JSON_ANSWER = { "application/json": { schema: { type: "object" } } };
const SCHEMA_ANSWER = { "application/schema+json": { schema: { type: "object" } } };
const GEOJSON_ANSWER = { "application/geo+json": { schema: { type: "object" } } };

/**
 * OpenAPI 3.0 of OGC API – Features alone, which the clients of that standard read: the whole
 * interface is described in 3.1. They take pages of the size that `limit` states here.
 */
export function ogcDefinition(server: string): object {
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
    ...schemaOf(name),
  };
}

const SCHEMAS: Readonly<Record<string, object>> = {
  ...PROPERTY_SCHEMAS,
  limit: { type: "integer", minimum: 1, maximum: ITEMS_LIMIT, default: ITEMS_LIMIT },
  bbox: { type: "array", minItems: 4, maxItems: 6, items: { type: "number" } },
  "filter-lang": { type: "string", enum: FILTER_LANGUAGES, default: "cql2-text" },
  "filter-crs": { type: "string", format: "uri", default: CRS84 },
};

function schemaOf(name: string): object {
  const schema = SCHEMAS[name] ?? { type: "string" };
  return name === "bbox" ? { style: "form", explode: false, schema } : { schema };
}
