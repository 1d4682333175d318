import { z } from "zod";
import { ERRORS, ErrorBody, type ErrorCode } from "#contracts/errors.ts";
import {
  type Access,
  type Address,
  addressesOf,
  type Operation,
} from "#contracts/http/operation.ts";
import { IDEMPOTENCY_KEY, takesIdempotencyKey } from "./idempotency-key.ts";

type Json = Record<string, unknown>;

export type OpenApiInfo = {
  readonly version: string;
  readonly serverUrl: string;
  readonly cookieName: string;
};

/**
 * The OpenAPI 3.1 document of the operation table, made from the validating schemas, so that it
 * always matches the service's behaviour.
 */
export function openApiDocument(
  operations: Readonly<Record<string, Operation>>,
  { version, serverUrl, cookieName }: OpenApiInfo,
): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const operation of Object.values(operations)) {
    for (const address of addressesOf(operation)) {
      const path = address.path.replaceAll(/:(\w+)/g, "{$1}");
      paths[path] = {
        ...paths[path],
        [operation.method.toLowerCase()]: describe(operation, address, schemas),
      };
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Earthquake Catalogue Service",
      version,
      description: "Versioned catalogues of earthquakes: every read as of any version.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: cookieName },
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
      },
    },
  };
}

function describe(operation: Operation, { path, access, suffix }: Address, schemas: Json): Json {
  const { id, summary, tag, success, accepted, failure } = operation;
  return {
    operationId: id + suffix,
    summary,
    tags: [tag],
    description: `Access: ${access}.`,
    security: access === "public" || access === "share" ? [] : securityOf(access),
    parameters: [
      ...preconditionOf(operation),
      ...idempotencyKeyOf(operation),
      ...preferenceOf(operation),
      ...pathParametersOf(operation, path, schemas),
      ...parametersOf(documentedQueryOf(operation), "query", schemas),
    ],
    ...requestBodyOf(operation, schemas),
    responses: {
      [success.status]: successResponse(success, schemas),
      ...(accepted && {
        [accepted.status]: jsonResponse("accepted", schemaOf(accepted.schema, schemas)),
      }),
      ...(operation.canBeEmpty && { "204": { description: "nothing was selected" } }),
      ...errorResponses(operation, access, schemas),
      ...(failure && {
        [failure.status]: jsonResponse("failure", schemaOf(failure.schema, schemas)),
      }),
    },
  };
}

function securityOf(access: Access): Json[] {
  const signedIn = [{ session: [] }, { bearer: [] }];
  return access === "readers" || access === "operators" ? [{}, ...signedIn] : signedIn;
}

/** Those that an address has: below a share its secret stands for the catalogue's id. */
function pathParametersOf({ params }: Operation, path: string, schemas: Json): Json[] {
  const known = parametersOf(params, "path", schemas);
  const token = { name: "token", in: "path", description: "the secret of a share" };
  return [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => {
    if (name === "token") return [{ ...token, required: true, schema: { type: "string" } }];
    return known
      .filter((parameter) => parameter["name"] === name)
      .map((parameter) => ({ ...parameter, required: true }));
  });
}

function documentedQueryOf({ query, documentedQuery }: Operation): z.ZodObject | undefined {
  return query === "fdsn" ? documentedQuery : query;
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
function preconditionOf({ errors }: Operation): Json[] {
  if (!errors.includes("PRECONDITION_FAILED")) return [];
  const description = "ETag of the catalogue, or for its events that of the events, as last read";
  return [
    { name: "If-Match", in: "header", required: false, description, schema: { type: "string" } },
  ];
}

function idempotencyKeyOf(operation: Operation): Json[] {
  if (!takesIdempotencyKey(operation)) return [];
  const description =
    "a value of the client's choice for one write: sent again with the same request within 24 hours it replays the first answer, marked by Idempotency-Replayed: true";
  const schema = { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" };
  return [{ name: IDEMPOTENCY_KEY, in: "header", required: false, description, schema }];
}

/** Operations that can answer before they are done do so on request. */
function preferenceOf({ accepted }: Operation): Json[] {
  if (!accepted) return [];
  const description = "respond-async: answered 202 at once, with the operation's id";
  return [
    { name: "Prefer", in: "header", required: false, description, schema: { type: "string" } },
  ];
}

function requestBodyOf({ body, documentedBody }: Operation, schemas: Json): Json {
  const schema = documentedBody ?? (typeof body === "string" ? undefined : body);
  if (!schema) return {};
  const type = body === "file" ? "multipart/form-data" : "application/json";
  const content = { [type]: { schema: schemaOf(schema, schemas, "input") } };
  return { requestBody: { required: true, content } };
}

/** The errors of the operation itself, and those of its access and rate limit. */
export function errorCodesOf(operation: Operation, access: Access = operation.access): ErrorCode[] {
  const { method, errors, rate } = operation;
  const codes = new Set<ErrorCode>([...errors, "INTERNAL_ERROR", "UNAVAILABLE", "DATABASE_ERROR"]);
  const isOpen = access === "public" || access === "share";
  if (!isOpen && access !== "operators") codes.add("UNAUTHENTICATED");
  if (!isOpen && access !== "readers") codes.add("FORBIDDEN");
  if (access === "readers" || access === "share") codes.add("NOT_FOUND");
  // Bodies are checked also for operations that read none.
  if (method !== "GET") codes.add("REQUEST_TIMEOUT");
  if (method !== "GET" && operation.body !== "file") {
    codes.add("UNSUPPORTED_MEDIA_TYPE").add("BODY_TOO_LARGE");
  }
  if (rate !== "none") codes.add("RATE_LIMIT_EXCEEDED");
  if (takesIdempotencyKey(operation)) codes.add("CONFLICT").add("VALIDATION_ERROR");
  return [...codes];
}

function errorResponses(operation: Operation, access: Access, schemas: Json): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation, access)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content =
    operation.errorsAs === "fdsn"
      ? { "text/plain": { schema: { type: "string" } } }
      : { "application/json": { schema: schemaOf(ErrorBody, schemas) } };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, { description: codes.join(", "), content }]),
  );
}

function successResponse({ schema, contentTypes }: Operation["success"], schemas: Json): Json {
  if (!contentTypes) return jsonResponse("success", schemaOf(schema, schemas));
  const content = contentTypes.map((type) => [type, { schema: schemaOf(schema, schemas) }]);
  return { description: "success", content: Object.fromEntries(content) };
}

function jsonResponse(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

/**
 * JSON Schema of a value in transit. Parameters and answers are described as they are after parsing,
 * bodies as received, with unknown members ignored. Named schemas go to `components` and are
 * referenced.
 */
function schemaOf(schema: z.core.$ZodType, schemas: Json, io: "input" | "output" = "output"): Json {
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
