import type { ErrorCode } from "#contracts/errors.ts";

/** A field of what was sent, and what is wrong with it. */
export type FieldProblem = { readonly field: string; readonly message: string };

/** A call that the service refused, or that did not reach it. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  readonly code: ErrorCode | "UNREACHABLE";
  readonly fields: readonly FieldProblem[];
  /** What the service's log calls the request. */
  readonly requestId: string | null;
  /** Seconds after which another attempt can succeed. */
  readonly retryAfter: number | null;
  /** The answer, of refusals that tell more than their sentence. */
  readonly body: unknown;

  constructor(
    message: string,
    known: Pick<CallError, "status" | "code" | "fields" | "requestId" | "retryAfter" | "body">,
  ) {
    super(message);
    this.status = known.status;
    this.code = known.code;
    this.fields = known.fields;
    this.requestId = known.requestId;
    this.retryAfter = known.retryAfter;
    this.body = known.body;
  }
}

/** A call without an answer. */
export function unreachable(cause: unknown): CallError {
  return lost("The service cannot be reached", cause);
}

/** An answer that ended before it was whole. */
export function cutOff(cause: unknown): CallError {
  return lost("The answer of the service was cut off on its way", cause);
}

function lost(message: string, cause: unknown): CallError {
  const error = new CallError(message, {
    status: 0,
    code: "UNREACHABLE",
    fields: [],
    requestId: null,
    retryAfter: null,
    body: null,
  });
  error.cause = cause;
  return error;
}

type ErrorBody = {
  readonly error?: string | undefined;
  readonly code?: string | undefined;
  readonly details?: unknown;
};

/** The error with which work in the background ended. */
export function failureOf(body: ErrorBody | undefined): CallError {
  return new CallError(body?.error ?? "This failed", {
    status: 400,
    code: codeOf(body),
    fields: fieldsOf(body?.details),
    requestId: null,
    retryAfter: null,
    body,
  });
}

/** The error that an answer tells. */
export async function refusalOf(response: Response): Promise<CallError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new CallError(body.error ?? `The service answered ${response.status}`, {
    status: response.status,
    code: codeOf(body),
    fields: fieldsOf(body.details),
    requestId: response.headers.get("x-request-id"),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
    body,
  });
}

function codeOf(body: ErrorBody | undefined): ErrorCode {
  return (body?.code ?? "INTERNAL_ERROR") as ErrorCode;
}

function fieldsOf(details: unknown): readonly FieldProblem[] {
  if (!Array.isArray(details)) return [];
  return details.filter(
    (one) => typeof one?.field === "string" && typeof one?.message === "string",
  );
}
