import { z } from "zod";

export type Json = Record<string, unknown>;

/**
 * JSON Schema of a value in transit. Parameters and answers are described as they are after parsing,
 * bodies as received, with unknown members ignored. Named schemas go to `components` and are
 * referenced.
 */
export function schemaOf(
  schema: z.core.$ZodType,
  schemas: Json,
  io: "input" | "output" = "output",
): Json {
  const {
    $schema: _dialect,
    $defs,
    ...own
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
  });
  for (const [name, definition] of Object.entries($defs ?? {})) {
    schemas[name] ??= withComponentRefs(definition);
  }
  const { id, ...body } = withComponentRefs(own) as Json;
  if (typeof id !== "string") return body;
  schemas[id] ??= body;
  return { $ref: `#/components/schemas/${id}` };
}

function withComponentRefs(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
