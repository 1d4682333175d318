import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";

const TYPES = {
  number: "number",
  integer: "integer",
  text: "string",
  enumeration: "string",
} as const satisfies Record<Attribute["kind"], string>;

/** JSON Schemas of the properties that are one value, by name. */
export const PROPERTY_SCHEMAS: Readonly<Record<string, object>> = {
  time: { type: "string", format: "date-time", description: "origin time, UTC" },
  ...Object.fromEntries(
    Object.entries(ATTRIBUTES).map(([name, attribute]) => [name, schemaOf(attribute)]),
  ),
};

function schemaOf({ kind, values, meaning, unit, min, max, maxLength }: Attribute): object {
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
export function featureSchema(): object {
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
export function queryablesSchema(address: string, title: string): object {
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
