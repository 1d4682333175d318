import { LogMismatch } from "#infra/event-log/errors.ts";
import { NotVisibleYet } from "#projections/wait-for-position.ts";
import { Refusal } from "#services/domain/errors.ts";

/** Registration's own errors, answered as `{error}` alone (specification, "Errors"). */
export class RegistrationError extends Error {
  override readonly name = "RegistrationError";
  readonly status: 400 | 409 | 500;

  constructor(status: 400 | 409 | 500, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.status = status;
  }
}

/**
 * What went wrong with a registration, in the specification's terms; a fault tells nothing. What
 * every change is answered with 503 for stays as it is.
 */
export function registrationError(error: unknown): Error {
  if (error instanceof NotVisibleYet || error instanceof LogMismatch) return error;
  if (error instanceof Refusal && error.kind === "invalid") {
    return new RegistrationError(400, error.message);
  }
  if (error instanceof Refusal && error.kind === "conflict") {
    return new RegistrationError(409, error.message);
  }
  return new RegistrationError(500, "Registration failed", { cause: error });
}
