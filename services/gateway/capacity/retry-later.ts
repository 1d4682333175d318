import { ERRORS, Refusal } from "#contracts/errors.ts";

/** Long enough for a new sample of the process. */
const OVERLOAD_SECONDS = 5;

/** Told to whoever finds a queue full. */
export const RETRY_AFTER_SECONDS = 10;

/** The caller's budget is used up: answered 429, with the seconds to wait. */
export class RateLimited extends Refusal {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, text: string = ERRORS.RATE_LIMIT_EXCEEDED.text) {
    super("RATE_LIMIT_EXCEEDED", text);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The process is overloaded: answered 503, with the seconds to wait. */
export class Overloaded extends Refusal {
  readonly retryAfterSeconds: number;

  constructor(text: string = ERRORS.UNAVAILABLE.text, retryAfterSeconds = OVERLOAD_SECONDS) {
    super("UNAVAILABLE", text);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The same request is running already: answered 409; its answer is ready a moment later. */
export class InProgress extends Refusal {
  readonly retryAfterSeconds = 1;

  constructor(text: string) {
    super("CONFLICT", text);
  }
}
