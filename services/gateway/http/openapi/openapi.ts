import {
  type Access,
  type Address,
  addressesOf,
  type Operation,
  scopeOf,
} from "#contracts/http/operation.ts";
import {
  idempotencyKeyOf,
  parametersAt,
  pathParametersOf,
  preconditionOf,
  preferenceOf,
  queryParametersOf,
} from "./openapi-parameters.ts";
import { errorResponses, jsonResponse, successResponse } from "./openapi-responses.ts";
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

function securityOf(operation: Operation, access: Access): Json[] {
  const session = [{ session: [] }, { bearer: [] }];
  if (scopeOf(operation, access) === "session") return session;
  const digest = operation.errorsAs === "fdsn" ? [{ digest: [] }] : [];
  const signedIn = [...session, { basic: [] }, ...digest];
  return access === "readers" || access === "operators" ? [{}, ...signedIn] : signedIn;
}

function requestBodyOf({ body, documentedBody, example = {} }: Operation, schemas: Json): Json {
  const received = documentedBody ?? (typeof body === "string" ? undefined : body);
  if (!received) return {};
  const schema = schemaOf(received, schemas, "input");
  const content =
    body === "file"
      ? { "multipart/form-data": { schema: withExamples(schema, example), example } }
      : { "application/json": { schema, example } };
  return { requestBody: { required: true, content } };
}

/** Pages that show a form look for an example beside each of its fields. */
function withExamples({ properties, ...schema }: Json, example: Json): Json {
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => [
    name,
    { ...field, examples: [example[name]] },
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}
