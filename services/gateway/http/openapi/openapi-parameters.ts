import type { z } from "zod";
import type { Operation } from "#contracts/http/operation.ts";
import { IDEMPOTENCY_KEY, takesIdempotencyKey } from "../headers/idempotency-key.ts";
import { type Json, schemaOf } from "./schema-of.ts";

const TOKEN: Json = {
  name: "token",
  in: "path",
  description: "the secret of a share",
  required: true,
  schema: { type: "string" },
};

/** Those of all addresses of an operation. */
export function pathParametersOf({ params }: Operation, schemas: Json): Json[] {
  const known = parametersOf(params, "path", schemas);
  return [TOKEN, ...known.map((parameter) => ({ ...parameter, required: true }))];
}

/** Those that an address has: below a share its secret stands for the catalogue's id. */
export function parametersAt(path: string, all: readonly Json[]): Json[] {
  return [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) =>
    all.filter((parameter) => parameter["name"] === name),
  );
}

export function queryParametersOf({ query, documentedQuery }: Operation, schemas: Json): Json[] {
  return parametersOf(query === "fdsn" ? documentedQuery : query, "query", schemas);
}

function parametersOf(
  object: z.ZodObject | undefined,
  place: "path" | "query",
  schemas: Json,
): Json[] {
  return Object.entries(object?.shape ?? {}).map(([name, field]) => {
    const schema = schemaOf(field, schemas);
    return {
      name,
      in: place,
      required: !field.safeParse(undefined).success,
      ...(typeof schema["description"] === "string" && { description: schema["description"] }),
      ...(schema["type"] === "array" && { style: "form", explode: false }),
      schema,
    };
  });
}

/** Operations with a precondition accept the entity tag that the client has seen. */
export function preconditionOf({ errors }: Operation): Json[] {
  const description = "ETag of the catalogue, or for its events that of the events, as last read";
  return errors.includes("PRECONDITION_FAILED") ? [header("If-Match", description)] : [];
}

export function idempotencyKeyOf(operation: Operation): Json[] {
  if (!takesIdempotencyKey(operation)) return [];
  const description =
    "a value of the client's choice for one write: sent again with the same request within 24 hours it replays the first answer, marked by Idempotency-Replayed: true";
  const bounds = { minLength: 1, maxLength: 255, pattern: "^[!-~]+$" };
  return [header(IDEMPOTENCY_KEY, description, bounds)];
}

/** Operations that can answer before they are done do so on request. */
export function preferenceOf({ accepted }: Operation): Json[] {
  const description = "respond-async: answered 202 at once, with the operation's id";
  return accepted ? [header("Prefer", description)] : [];
}

function header(name: string, description: string, bounds: Json = {}): Json {
  return {
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string", ...bounds },
  };
}
