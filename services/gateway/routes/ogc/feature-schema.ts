import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";

const TYPES = {
  number: "number",
  integer: "integer",
  text: "string",
  enumeration: "string",
} as const satisfies Record<Attribute["kind"], string>;

/**
 * JSON Schema of a Feature. Clients take the types of attributes from it where the first Features have
 * none of their values.
 */
export function featureSchema(): object {
  const attributes = Object.entries(ATTRIBUTES).map(([name, attribute]) => {
    const { kind, values, meaning, unit }: Attribute = attribute;
    const description = unit === undefined ? meaning : `${meaning}; ${unit}`;
    return [name, { type: TYPES[kind], description, ...(values && { enum: values }) }] as const;
  });
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
          time: { type: "string", format: "date-time", description: "origin time, UTC" },
          ...Object.fromEntries(attributes),
          focal_mechanisms: { type: "array" },
          extra: { type: "object" },
        },
      },
    },
  };
}
