import { invalid } from "#contracts/errors.ts";
import { type Operation, scopeOf } from "#contracts/http/operation.ts";

export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** Visible ASCII without spaces, so that written keys cannot be confused. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Whether an operation accepts a key: every write by a signed-in user, and nothing that only reads. Guests have no keys. */
export function takesIdempotencyKey(operation: Operation): boolean {
  const { method, access } = operation;
  return method !== "GET" && access !== "public" && scopeOf(operation, access) !== "read";
}

/** @throws Refusal VALIDATION_ERROR */
export function parseIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === "string" && KEY.test(header)) return header;
  throw invalid(IDEMPOTENCY_KEY, "must have 1 to 255 visible ASCII characters");
}
