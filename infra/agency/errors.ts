import type { ErrorCode } from "#contracts/errors.ts";
import { CircuitOpen } from "./circuit-breaker.ts";

type Circumstances = {
  /** The HTTP status, null when there was no answer. */
  readonly status?: number | null;
};

/*
 * None of these errors has a cause: what Node throws may carry the bytes and the certificates that the
 * agency has sent. In their messages its own text is what `agencyText` makes of it.
 */

/** The agency can't be reached, broke its answer off, or answered 5xx or 429. */
export class AgencyUnavailable extends Error {
  override readonly name = "AgencyUnavailable";
  readonly status: number | null;
  /** How long the agency asks to wait, null when it does not. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    { status = null, retryAfterMs = null }: Circumstances & WaitAsked = {},
  ) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

type WaitAsked = { readonly retryAfterMs?: number | null };

/** The agency was silent for too long, or took too long for its answer. */
export class AgencyTimeout extends Error {
  override readonly name = "AgencyTimeout";
}

/** The agency answered, and its answer is a refusal or cannot be used. */
export class AgencyError extends Error {
  override readonly name = "AgencyError";
  readonly status: number | null;
  /** True where the same request may be answered well: a broken answer, not a refusal. */
  readonly worthRetrying: boolean;

  constructor(
    message: string,
    {
      status = null,
      worthRetrying = false,
    }: Circumstances & { readonly worthRetrying?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.worthRetrying = worthRetrying;
  }
}

const TOO_MANY_REQUESTS = 429;

/**
 * What the circuit breaker counts: 5xx, time-outs, connections that failed and answers that end early,
 * which is the same connection's failing seen otherwise. Refusals (4xx), a request for patience (429) and
 * answers that can't be read come from an agency that is there.
 */
export function isAgencyFailure(error: unknown): boolean {
  if (error instanceof AgencyTimeout) return true;
  return error instanceof AgencyUnavailable && error.status !== TOO_MANY_REQUESTS;
}

/** The code of the API for what a request to the agency throws, null for what is none of it. */
export function agencyErrorCode(
  error: unknown,
): Extract<ErrorCode, `AGENCY_${string}` | "CIRCUIT_OPEN"> | null {
  if (error instanceof AgencyUnavailable) return "AGENCY_UNAVAILABLE";
  if (error instanceof AgencyTimeout) return "AGENCY_TIMEOUT";
  if (error instanceof AgencyError) return "AGENCY_ERROR";
  if (error instanceof CircuitOpen) return "CIRCUIT_OPEN";
  return null;
}
