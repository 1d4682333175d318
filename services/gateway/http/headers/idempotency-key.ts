import { invalid } from "#contracts/errors.ts";
import type { Operation } from "#contracts/http/operation.ts";

export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** Visible ASCII without spaces, so that written keys cannot be confused. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Whether an operation accepts a key: every write by a signed-in user. Guests have no keys. */
export function takesIdempotencyKey({ method, access }: Operation): boolean {
  return method !== "GET" && access !== "public";
}

/** @throws Refusal VALIDATION_ERROR */
export function parseIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === "string" && KEY.test(header)) return header;
  throw invalid(IDEMPOTENCY_KEY, "must have 1 to 255 visible ASCII characters");
}
