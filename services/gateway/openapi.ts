import { z } from "zod";
import { ERRORS, type ErrorCode } from "#contracts/errors.ts";
import {
  type Access,
  type Address,
  addressesOf,
  bodyWhereNone,
  ErrorBody,
  type Operation,
  scopeOf,
} from "#contracts/http/operation.ts";
import { IDEMPOTENCY_KEY, takesIdempotencyKey } from "../headers.ts";

const TOKEN: Json = {
  name: "token",
  in: "path",
  description: "the secret of a share",
  required: true,
  schema: { type: "string" },
};

/** Those of all addresses of an operation. */
function pathParametersOf({ params }: Operation, schemas: Json): Json[] {
  const known = parametersOf(params, "path", schemas);
  return [TOKEN, ...known.map((parameter) => ({ ...parameter, required: true }))];
}

/** Those that an address has: below a share its secret stands for the catalogue's id. */
function parametersAt(path: string, all: readonly Json[]): Json[] {
  return [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) =>
    all.filter((parameter) => parameter["name"] === name),
  );
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
  const description = "ETag of the catalogue, or for its events that of the events, as last read";
  return errors?.includes("PRECONDITION_FAILED") ? [header("If-Match", description)] : [];
}

function idempotencyKeyOf(operation: Operation): Json[] {
  if (!takesIdempotencyKey(operation)) return [];
  const description =
    "a value of the client's choice for one write: sent again with the same request within 24 hours it replays the first answer, marked by Idempotency-Replayed: true";
  const bounds = { minLength: 1, maxLength: 255, pattern: "^[!-~]+$" };
  return [header(IDEMPOTENCY_KEY, description, bounds)];
}

/** Operations that can answer before they are done do so on request. */
function preferenceOf({ accepted }: Operation): Json[] {
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
    const common = commonOf(operation, schemas);
    for (const address of addressesOf(operation)) {
      const path = address.path.replaceAll(/:(\w+)/g, "{$1}");
      paths[path] = {
        ...paths[path],
        [operation.method.toLowerCase()]: describe(operation, address, common, schemas),
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
    // In the order of their addresses, whatever area has them.
    paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas,
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: cookieName },
        bearer: { type: "http", scheme: "bearer", description: "A session's or an access token" },
        basic: { type: "http", scheme: "basic", description: "An access token as password" },
        digest: {
          type: "http",
          scheme: "digest",
          description: "An access token's id as user name, its secret as password",
        },
      },
    },
  };
}

/** What an operation has at all its addresses. */
function commonOf(operation: Operation, schemas: Json) {
  const { status, accepted, failure, query, documentedQuery } = operation;
  return {
    headers: [
      ...preconditionOf(operation),
      ...idempotencyKeyOf(operation),
      ...preferenceOf(operation),
    ],
    pathParameters: pathParametersOf(operation, schemas),
    queryParameters: parametersOf(query === "fdsn" ? documentedQuery : query, "query", schemas),
    requestBody: requestBodyOf(operation, schemas),
    responses: {
      [status]: successResponse(operation, schemas),
      ...(accepted && {
        [accepted.status]: jsonResponse("accepted", schemaOf(accepted.schema, schemas)),
      }),
      ...(operation.canBeEmpty && { "204": { description: "nothing was selected" } }),
      ...(failure && {
        [failure.status]: jsonResponse("failure", schemaOf(failure.schema, schemas)),
      }),
    },
  };
}

function describe(
  operation: Operation,
  { path, access, suffix }: Address,
  common: ReturnType<typeof commonOf>,
  schemas: Json,
): Json {
  const { id, summary } = operation;
  return {
    operationId: id + suffix,
    summary,
    tags: [sectionOf(operation)],
    description: `Access: ${access}. Access tokens: ${scopeOf(operation, access)}.`,
    security: access === "public" || access === "share" ? [] : securityOf(operation, access),
    parameters: [
      ...common.headers,
      ...parametersAt(path, common.pathParameters),
      ...common.queryParameters,
    ],
    ...common.requestBody,
    responses: { ...errorResponses(operation, access, schemas), ...common.responses },
  };
}

/** By how the address goes on behind `/api/`, and behind that of a catalogue, where its first word does not say it. */
const SECTIONS: readonly (readonly [address: RegExp, section: string])[] = [
  [/^compare\b/, "Analytics"],
  [/^fdsnws\//, "FDSN event service"],
  [/^feed\/v1/, "Summary feeds"],
  [/^ogc\b/, "OGC API – Features"],
  [/^events\/:eventId\/(?:bulletin|comments|preferred|solutions)/, "Bulletins"],
  [/^(?:conversions|duplicates)\b/, "Events"],
  [/^right\b/, "Members"],
  [/^(?:export|versions)$/, "Catalogues"],
  [/^auth\//, "Accounts"],
  [/^(?:setup|sample)\b/, "Set-up"],
  [/^tokens\b/, "Access tokens"],
  [/^parked-events\b/, "Audit"],
  [/^(?:health|ready|settings|openapi|\/metrics)\b/, "Service"],
];

/** Under which heading the document has an operation. */
function sectionOf({ path }: Operation): string {
  const rest = path.replace(/^\/api\/(?:catalogues\/:id\/)?/, "");
  const [word = ""] = rest.split("/");
  const named = word.charAt(0).toUpperCase() + word.slice(1).replaceAll("-", " ");
  return SECTIONS.find(([address]) => address.test(rest))?.[1] ?? named;
}

function securityOf(operation: Operation, access: Access): Json[] {
  const session = [{ session: [] }, { bearer: [] }];
  if (scopeOf(operation, access) === "session") return session;
  const digest = operation.errorsAs === "fdsn" ? [{ digest: [] }] : [];
  const signedIn = [...session, { basic: [] }, ...digest];
  return access === "readers" || access === "operators" ? [{}, ...signedIn] : signedIn;
}

function requestBodyOf(operation: Operation, schemas: Json): Json {
  const { body, documentedBody, example = {} } = operation;
  const received = documentedBody ?? (typeof body === "string" ? undefined : body);
  if (!received) return {};
  const schema = schemaOf(received, schemas, "input");
  const content =
    body === "file"
      ? { "multipart/form-data": { schema: withExamples(schema, example), example } }
      : { "application/json": { schema, example } };
  return { requestBody: { required: bodyWhereNone(operation) === undefined, content } };
}

/** Pages that show a form look for an example beside each of its fields. */
function withExamples({ properties, ...schema }: Json, example: Json): Json {
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => [
    name,
    { ...field, examples: [example[name]] },
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** Under one status all errors that have it. */
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

/** Answers of these types are texts to us, and objects to clients that parse them. */
const OBJECT_MEDIA = /^application\/(?:(?:[\w.]+\+)?json|yaml)\b/;

function successResponse({ answer, contentTypes, alsoAs = [] }: Operation, schemas: Json): Json {
  if (!contentTypes) {
    const texts = alsoAs.map((type) => [type, { schema: { type: "string" } }]);
    const content = {
      "application/json": { schema: schemaOf(answer, schemas) },
      ...Object.fromEntries(texts),
    };
    return { description: "success", content };
  }
  const text = schemaOf(answer, schemas);
  const content = contentTypes.map((type) => [
    type,
    { schema: OBJECT_MEDIA.test(type) ? { ...text, type: "object" } : text },
  ]);
  return { description: "success", content: Object.fromEntries(content) };
}

function jsonResponse(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

const OF_WRITES = ["REQUEST_TIMEOUT", "NOT_VISIBLE_YET"] as const;

/** The errors of the operation itself, and those that follow from its address, its parameters, its body, its access and its rate limit. */
function errorCodesOf(operation: Operation, access: Access): ErrorCode[] {
  const { method, path, query, errors = [], rate } = operation;
  const codes = new Set<ErrorCode>([...errors, "INTERNAL_ERROR", "UNAVAILABLE", "DATABASE_ERROR"]);
  if (path.includes(":")) codes.add("NOT_FOUND");
  if (typeof query === "object" && "cursor" in query.shape) codes.add("INVALID_CURSOR");
  const isOpen = access === "public" || access === "share";
  // Of an access token that is not good, and of one of another scope.
  if (access !== "public" || rate !== "none") codes.add("UNAUTHENTICATED");
  if (scopeOf(operation, access) !== "read") codes.add("FORBIDDEN");
  if (!isOpen && access !== "readers") codes.add("FORBIDDEN");
  if (access === "readers" || access === "share") codes.add("NOT_FOUND");
  // Bodies are checked also for operations that read none.
  if (method !== "GET") for (const code of OF_WRITES) codes.add(code);
  if (method !== "GET" && operation.body !== "file") {
    codes.add("UNSUPPORTED_MEDIA_TYPE").add("BODY_TOO_LARGE").add("INVALID_JSON");
  }
  if (rate !== "none") codes.add("RATE_LIMIT_EXCEEDED").add("VALIDATION_ERROR");
  if (takesIdempotencyKey(operation)) codes.add("CONFLICT").add("VALIDATION_ERROR");
  return [...codes];
}

type Json = Record<string, unknown>;

/**
 * JSON Schema of a value in transit. Parameters and answers are described as they are after parsing,
 * bodies as received, with unknown members ignored. Named schemas go to `components` and are
 * referenced.
 */
function schemaOf(schema: z.core.$ZodType, schemas: Json, io: "input" | "output" = "output"): Json {
  const { id, body, named } = convertedOf(schema, io);
  for (const [name, definition] of named) schemas[name] ??= definition;
  if (id === null) return body;
  schemas[id] ??= body;
  return { $ref: `#/components/schemas/${id}` };
}

type Converted = {
  /** Its name in `components`, null where it has none. */
  readonly id: string | null;
  readonly body: Json;
  readonly named: readonly (readonly [string, unknown])[];
};

/** Schemas are constants, and all gateways of a process describe the same. */
const converted = {
  input: new WeakMap<z.core.$ZodType, Converted>(),
  output: new WeakMap<z.core.$ZodType, Converted>(),
};

function convertedOf(schema: z.core.$ZodType, io: "input" | "output"): Converted {
  const known = converted[io].get(schema);
  if (known !== undefined) return known;
  const {
    $schema: _dialect,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const { id, ...body } = withComponentRefs(own) as Json;
  const named = Object.entries($defs).map(
    ([name, definition]) => [name, withComponentRefs(definition)] as const,
  );
  const all = { id: typeof id === "string" ? id : null, body, named };
  converted[io].set(schema, all);
  return all;
}

function withComponentRefs(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
