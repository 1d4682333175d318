/** Errors as answers: the only place where they get a status. */

import { DatabaseError } from "pg";
import { SlonikError } from "slonik";
import { ERRORS, type ErrorCode, Refusal, RetryLater } from "#contracts/errors.ts";
import { InvalidJson } from "#infra/json/json.ts";
import { QueueFull } from "#infra/kernel/fair-queue.ts";
import {
  Ambiguous,
  LogMismatch,
  Unavailable,
  WrongExpectedRevision,
} from "#infra/log/event-log.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { StillLocked } from "#infra/postgres/statements.ts";
import { TaskStuck } from "#infra/threads/worker-threads.ts";
import { NotVisibleYet } from "#projections/engine/progress.ts";
import { ImportFailed } from "#services/imports/agencies.ts";
import { ServiceStopping } from "./works.ts";

export type ErrorAnswer = {
  readonly status: number;
  readonly body: {
    readonly error: string;
    readonly code?: ErrorCode;
    readonly details?: readonly unknown[];
    readonly retryAfter?: number;
    readonly catalogueId?: string;
  };
};

/** Registration's own errors, answered as `{error}` alone (`contracts/docs/http.md`, Errors). */
export class RegistrationError extends Error {
  override readonly name = "RegistrationError";
  readonly status: 400 | 403 | 409 | 500;

  constructor(status: 400 | 403 | 409 | 500, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.status = status;
  }
}

/** Fastify's own refusals with a code of their own here; its other 4xx are VALIDATION_ERROR. */
const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "BODY_TOO_LARGE",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "VALIDATION_ERROR",
  // A parameter longer than any id matches nothing.
  FST_ERR_MAX_PARAM_LENGTH: "NOT_FOUND",
};

/** Converts an error to an answer; the only place where errors get a status. Faults reveal nothing. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof RegistrationError) {
    return { status: error.status, body: { error: error.message } };
  }
  if (error instanceof QueueFull) return errorAnswer(fullQueue(error));
  if (error instanceof RateLimited) {
    const { status, body } = answer(error.code, error.message);
    return { status, body: { ...body, retryAfter: error.retryAfterSeconds } };
  }
  if (error instanceof ImportFailed) {
    const { status, body } = errorAnswer(error.cause);
    return { status, body: { ...body, catalogueId: error.catalogueId } };
  }
  if (error instanceof ServiceStopping) {
    return answer("UNAVAILABLE", "The service stopped before the work was done; start it again");
  }
  if (error instanceof Refusal) return answer(error.code, error.message, error.details);
  if (error instanceof InvalidJson) return answer("INVALID_JSON", error.message);
  if (error instanceof NotVisibleYet) return answer("NOT_VISIBLE_YET");
  if (error instanceof WrongExpectedRevision) {
    return answer("CONFLICT", "Too many changes at once; try again");
  }
  if (error instanceof TaskStuck) {
    return answer("INTERNAL_ERROR", "The work on the request made no progress and was ended");
  }
  if (error instanceof StillLocked) {
    return answer("UNAVAILABLE", "Others change the same at the moment; nothing was changed");
  }
  if (error instanceof LogMismatch) {
    return answer("UNAVAILABLE", "Changes are refused until the event log is the known one again");
  }
  // First, because a disconnected client and a lost database connection have the same error code.
  const refused = ofFastify(error);
  if (refused !== null) return refused;
  return answer(isDatabaseFault(error) ? "DATABASE_ERROR" : "INTERNAL_ERROR");
}

/** The seconds after which the same request may fare better; null for a refusal that stays. */
export function retryAfterSeconds(error: unknown, status: number): number | null {
  if (error instanceof RetryLater) return error.retryAfterSeconds;
  return status === ERRORS.UNAVAILABLE.status || error instanceof WrongExpectedRevision ? 1 : null;
}

/**
 * Whether operators need not know of the error: only the client can correct it, whatever its status, or they
 * caused it themselves, by a stop.
 */
export function isNoFault(error: unknown): boolean {
  const reason = error instanceof ImportFailed ? error.cause : error;
  if (reason instanceof ServiceStopping) return true;
  const { status, body } = errorAnswer(error);
  return status < 500 || body.code === "PARSE_ERROR";
}

function answer(
  code: ErrorCode,
  text: string = ERRORS[code].text,
  details?: readonly unknown[],
): ErrorAnswer {
  const { status } = ERRORS[code];
  return { status, body: { error: text, code, ...(details && { details }) } };
}

function isDatabaseFault(error: unknown): boolean {
  return (
    error instanceof SlonikError ||
    error instanceof DatabaseError ||
    error instanceof Ambiguous ||
    error instanceof Unavailable ||
    // Lost connections of readers that do not use slonik.
    isTransient(error)
  );
}

function ofFastify(error: unknown): ErrorAnswer | null {
  if (!(error instanceof Error) || !("statusCode" in error)) return null;
  const { statusCode } = error;
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode >= 500) return null;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const known = FASTIFY_CODES[code];
  return known ? answer(known) : answer("VALIDATION_ERROR", error.message);
}

/** Long enough for a new sample of the process. */
const OVERLOAD_SECONDS = 5;

/** Told to whoever finds a queue full. */
export const RETRY_AFTER_SECONDS = 10;

/** The caller's budget is used up: answered 429. */
export class RateLimited extends RetryLater {
  constructor(retryAfterSeconds: number, text: string = ERRORS.RATE_LIMIT_EXCEEDED.text) {
    super("RATE_LIMIT_EXCEEDED", text, retryAfterSeconds);
  }
}

/** The process is overloaded: answered 503. */
export class Overloaded extends RetryLater {
  constructor(text: string = ERRORS.UNAVAILABLE.text, retryAfterSeconds = OVERLOAD_SECONDS) {
    super("UNAVAILABLE", text, retryAfterSeconds);
  }
}

/** What a full queue of work is to who wanted to enter it. */
export function fullQueue({ isOfOne }: QueueFull): RateLimited | Overloaded {
  if (!isOfOne)
    return new Overloaded("Too much work waits already; try again", RETRY_AFTER_SECONDS);
  return new RateLimited(RETRY_AFTER_SECONDS, "Too much work of yours waits already; try again");
}
