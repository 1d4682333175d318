import { ERRORS, ErrorBody, type ErrorCode } from "#contracts/errors.ts";
import {
  type Access,
  type Address,
  addressesOf,
  type Operation,
} from "#contracts/http/operation.ts";
import { takesIdempotencyKey } from "../headers/idempotency-key.ts";
import {
  idempotencyKeyOf,
  parametersAt,
  pathParametersOf,
  preconditionOf,
  preferenceOf,
  queryParametersOf,
} from "./openapi-parameters.ts";
import { type Json, schemaOf } from "./schema-of.ts";

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

/** What an operation has at all its addresses. */
type Common = {
  readonly headers: readonly Json[];
  readonly pathParameters: readonly Json[];
  readonly queryParameters: readonly Json[];
  readonly requestBody: Json;
  readonly responses: Json;
};

function commonOf(operation: Operation, schemas: Json): Common {
  const { success, accepted, failure } = operation;
  return {
    headers: [
      ...preconditionOf(operation),
      ...idempotencyKeyOf(operation),
      ...preferenceOf(operation),
    ],
    pathParameters: pathParametersOf(operation, schemas),
    queryParameters: queryParametersOf(operation, schemas),
    requestBody: requestBodyOf(operation, schemas),
    responses: {
      [success.status]: successResponse(success, schemas),
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
  common: Common,
  schemas: Json,
): Json {
  const { id, summary, tag } = operation;
  return {
    operationId: id + suffix,
    summary,
    tags: [tag],
    description: `Access: ${access}.`,
    security: access === "public" || access === "share" ? [] : securityOf(access),
    parameters: [
      ...common.headers,
      ...parametersAt(path, common.pathParameters),
      ...common.queryParameters,
    ],
    ...common.requestBody,
    responses: { ...errorResponses(operation, access, schemas), ...common.responses },
  };
}

function securityOf(access: Access): Json[] {
  const signedIn = [{ session: [] }, { bearer: [] }];
  return access === "readers" || access === "operators" ? [{}, ...signedIn] : signedIn;
}

function requestBodyOf({ body, documentedBody }: Operation, schemas: Json): Json {
  const schema = documentedBody ?? (typeof body === "string" ? undefined : body);
  if (!schema) return {};
  const type = body === "file" ? "multipart/form-data" : "application/json";
  const content = { [type]: { schema: schemaOf(schema, schemas, "input") } };
  return { requestBody: { required: true, content } };
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

/** Answers of these types are texts to us, and objects to clients that parse them. */
const OBJECT_MEDIA = /^application\/(?:(?:[\w.]+\+)?json|yaml)\b/;

function successResponse(success: Operation["success"], schemas: Json): Json {
  const { schema, contentTypes, alsoAs = [] } = success;
  if (!contentTypes) {
    const texts = alsoAs.map((type) => [type, { schema: { type: "string" } }]);
    const content = {
      "application/json": { schema: schemaOf(schema, schemas) },
      ...Object.fromEntries(texts),
    };
    return { description: "success", content };
  }
  const text = schemaOf(schema, schemas);
  const content = contentTypes.map((type) => [
    type,
    { schema: OBJECT_MEDIA.test(type) ? { ...text, type: "object" } : text },
  ]);
  return { description: "success", content: Object.fromEntries(content) };
}

function jsonResponse(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

/** The errors of the operation itself, and those of its access and rate limit. */
function errorCodesOf(operation: Operation, access: Access): ErrorCode[] {
  const { method, errors, rate } = operation;
  const codes = new Set<ErrorCode>([...errors, "INTERNAL_ERROR", "UNAVAILABLE", "DATABASE_ERROR"]);
  const isOpen = access === "public" || access === "share";
  if (!isOpen && access !== "operators") codes.add("UNAUTHENTICATED");
  if (!isOpen && access !== "readers") codes.add("FORBIDDEN");
  if (access === "readers" || access === "share") codes.add("NOT_FOUND");
  // Bodies are checked also for operations that read none.
  if (method !== "GET") codes.add("REQUEST_TIMEOUT");
  if (method !== "GET" && operation.body !== "file") {
    codes.add("UNSUPPORTED_MEDIA_TYPE").add("BODY_TOO_LARGE").add("INVALID_JSON");
  }
  if (rate !== "none") codes.add("RATE_LIMIT_EXCEEDED").add("VALIDATION_ERROR");
  if (takesIdempotencyKey(operation)) codes.add("CONFLICT").add("VALIDATION_ERROR");
  return [...codes];
}
