import { ERRORS, type ErrorCode } from "#contracts/errors.ts";
import { ErrorBody } from "#contracts/http/error-body.ts";
import { type Access, type Operation, scopeOf } from "#contracts/http/operation.ts";
import { takesIdempotencyKey } from "../headers/idempotency-key.ts";
import { type Json, schemaOf } from "./schema-of.ts";

/** Under one status all errors that have it. */
export function errorResponses(operation: Operation, access: Access, schemas: Json): Json {
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

export function successResponse(success: Operation["success"], schemas: Json): Json {
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

export function jsonResponse(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

const OF_WRITES = ["REQUEST_TIMEOUT", "NOT_VISIBLE_YET"] as const;

/** The errors of the operation itself, and those of its access and rate limit. */
function errorCodesOf(operation: Operation, access: Access): ErrorCode[] {
  const { method, errors, rate } = operation;
  const codes = new Set<ErrorCode>([...errors, "INTERNAL_ERROR", "UNAVAILABLE", "DATABASE_ERROR"]);
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
