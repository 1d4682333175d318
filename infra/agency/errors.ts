import type { ErrorCode } from "#contracts/errors.ts";
import { CircuitOpen } from "./circuit-breaker.ts";

/** No causes, which may carry bytes and certificates; messages quote only through `agencyText`. */

/** The agency cannot be reached, broke off its answer, or answered 5xx or 429. */
export class AgencyUnavailable extends Error {
  override readonly name = "AgencyUnavailable";
  readonly status: number | null;
  /** How long the agency asks us to wait; null when it does not. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { status?: number; retryAfterMs?: number | null } = {}) {
    super(message);
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The agency was silent for too long, or its whole answer took too long. */
export class AgencyTimeout extends Error {
  override readonly name = "AgencyTimeout";
}

/** The agency's answer is a refusal or cannot be used. */
export class AgencyError extends Error {
  override readonly name = "AgencyError";
  readonly status: number | null;
  /** True when the same request may succeed later: a broken answer, not a refusal. */
  readonly worthRetrying: boolean;

  constructor(message: string, options: { status?: number; worthRetrying?: boolean } = {}) {
    super(message);
    this.status = options.status ?? null;
    this.worthRetrying = options.worthRetrying ?? false;
  }
}

const TOO_MANY_REQUESTS = 429;

/**
 * What the circuit breaker counts: 5xx, time-outs, failed connections, and answers that end early,
 * which is another form of a failed connection. Refusals (4xx), 429 and unreadable answers show that
 * the agency is there.
 */
export function isAgencyFailure(error: unknown): boolean {
  if (error instanceof AgencyTimeout) return true;
  return error instanceof AgencyUnavailable && error.status !== TOO_MANY_REQUESTS;
}

/** The API's error code for an error of a request to the agency; null for any other error. */
export function agencyErrorCode(
  error: unknown,
): Extract<ErrorCode, `AGENCY_${string}` | "CIRCUIT_OPEN"> | null {
  if (error instanceof AgencyUnavailable) return "AGENCY_UNAVAILABLE";
  if (error instanceof AgencyTimeout) return "AGENCY_TIMEOUT";
  if (error instanceof AgencyError) return "AGENCY_ERROR";
  if (error instanceof CircuitOpen) return "CIRCUIT_OPEN";
  return null;
}
