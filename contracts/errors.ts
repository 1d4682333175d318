/** Every error code with its HTTP status and default sentence (`contracts/docs/http.md`, Errors). */
export const ERRORS = {
  VALIDATION_ERROR: { status: 400, text: "The request is not valid" },
  INVALID_JSON: { status: 400, text: "The body is not valid JSON" },
  INVALID_CURSOR: { status: 400, text: "The cursor is not valid for this request" },
  MISSING_NAME: { status: 400, text: "A name is required" },
  NAME_TOO_LONG: { status: 400, text: "The name is longer than 255 characters" },
  ALL_EVENTS_INVALID: { status: 400, text: "Every submitted event failed validation" },
  NO_FILE: { status: 400, text: "No file was provided" },
  UNSUPPORTED_FORMAT: { status: 400, text: "The file format is not supported" },
  MERGE_ERROR: { status: 400, text: "The merge request is not valid" },
  UNAUTHENTICATED: { status: 401, text: "Authentication required" },
  FORBIDDEN: { status: 403, text: "Insufficient permissions" },
  NOT_FOUND: { status: 404, text: "Not found" },
  METHOD_NOT_ALLOWED: { status: 405, text: "The method is not allowed here" },
  REQUEST_TIMEOUT: { status: 408, text: "The request took too long to arrive" },
  CONFLICT: { status: 409, text: "The request conflicts with the present state" },
  GONE: { status: 410, text: "It is not kept any more" },
  PRECONDITION_FAILED: { status: 412, text: "The catalogue has changed since it was read" },
  BODY_TOO_LARGE: { status: 413, text: "The body is too large" },
  FILE_TOO_LARGE: { status: 413, text: "The file is too large" },
  TOO_MANY_EVENTS: { status: 413, text: "Too many events in one request" },
  RANGE_NOT_SATISFIABLE: { status: 416, text: "The file has no such range" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: "The content type is not supported" },
  RATE_LIMIT_EXCEEDED: { status: 429, text: "Too many requests" },
  PARSE_ERROR: { status: 500, text: "The file could not be parsed" },
  AGENCY_UNAVAILABLE: { status: 500, text: "The external agency is not available" },
  AGENCY_TIMEOUT: { status: 500, text: "The external agency did not answer in time" },
  AGENCY_ERROR: { status: 500, text: "The external agency answered with an error" },
  CIRCUIT_OPEN: { status: 500, text: "Requests to the external agency are suspended" },
  DATABASE_ERROR: { status: 500, text: "A database error occurred" },
  INTERNAL_ERROR: { status: 500, text: "An internal error occurred" },
  NOT_VISIBLE_YET: {
    status: 503,
    text: "Changes that are stored are not visible yet; try again, with the same Idempotency-Key",
  },
  UNAVAILABLE: { status: 503, text: "The service is temporarily unavailable" },
} as const satisfies Record<string, { status: number; text: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** A refusal by any part of the service. Only the gateway converts its code to a status. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ErrorCode;
  readonly details: readonly unknown[] | undefined;

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].text,
    options: { details?: readonly unknown[]; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }
}

/** How long what others do usually takes at most. */
const PASSING_SECONDS = 5;

/** A refusal that passes by itself: answered with the seconds to wait, and the same request is tried anew. */
export class RetryLater extends Refusal {
  readonly retryAfterSeconds: number;

  constructor(code: ErrorCode, message: string, retryAfterSeconds = PASSING_SECONDS) {
    super(code, message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The refusal of one value of a request. @param message what is wrong with it, a predicate */
export function invalid(field: string, message: string): Refusal {
  return new Refusal("VALIDATION_ERROR", `${field}: ${message}`, { details: [{ field, message }] });
}

/** Why an institute's account does not sign in: the status of the answer, and what the person is told. */
export const SIGN_IN_REFUSALS = {
  "not-begun": {
    code: "VALIDATION_ERROR",
    text: "This sign-in was begun in another window, or too long ago. Please begin again",
  },
  cancelled: { code: "UNAUTHENTICATED", text: "The sign-in at your institute was cancelled" },
  "not-confirmed": {
    code: "UNAUTHENTICATED",
    text: "Your institute has not confirmed this sign-in. Please begin again",
  },
  "no-email": {
    code: "FORBIDDEN",
    text: "Your institute does not tell us your email address, without which there is no account here. Its administrators can change that",
  },
  "unverified-email": {
    code: "FORBIDDEN",
    text: "Your institute has not verified your email address, which an account here needs. Its administrators can change that",
  },
  "long-subject": {
    code: "FORBIDDEN",
    text: "Your institute names your account by more than 255 characters, which OpenID Connect does not allow. Its administrators can change that",
  },
  "email-of-another": {
    code: "FORBIDDEN",
    text: "Your email address belongs to an account here that is tied to another account of your institute. Ask an administrator of this service",
  },
  inactive: {
    code: "FORBIDDEN",
    text: "Your account here is not active. Ask an administrator of this service to activate it",
  },
  unavailable: {
    code: "UNAVAILABLE",
    text: "Your institute's sign-in does not answer. Please try again in a minute",
  },
  "badly-set-up": {
    code: "UNAVAILABLE",
    text: "Your institute's sign-in does not work with this service as they are set up. Ask an administrator of this service",
  },
} as const satisfies Record<string, { code: ErrorCode; text: string }>;

export type SignInRefusal = keyof typeof SIGN_IN_REFUSALS;
