import type { ErrorCode } from "#contracts/errors.ts";
import type { Operation } from "#contracts/http/operation.ts";
import { takesIdempotencyKey } from "./idempotency-key.ts";

/** The errors of the operation itself, and those of its access and rate limit. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const { method, errors, access, rate } = operation;
  const codes = new Set<ErrorCode>([...errors, "INTERNAL_ERROR", "UNAVAILABLE", "DATABASE_ERROR"]);
  if (access !== "public" && access !== "operators") codes.add("UNAUTHENTICATED");
  if (access !== "public" && access !== "readers") codes.add("FORBIDDEN");
  if (access === "readers") codes.add("NOT_FOUND");
  // Bodies are checked also for operations that read none.
  if (method !== "GET") codes.add("REQUEST_TIMEOUT");
  if (method !== "GET" && operation.body !== "file") {
    codes.add("UNSUPPORTED_MEDIA_TYPE").add("BODY_TOO_LARGE");
  }
  if (rate !== "none") codes.add("RATE_LIMIT_EXCEEDED");
  if (takesIdempotencyKey(operation)) codes.add("CONFLICT").add("VALIDATION_ERROR");
  return [...codes];
}
