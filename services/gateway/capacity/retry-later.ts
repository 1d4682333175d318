import { ERRORS, Refusal } from "#contracts/errors.ts";

/** Long enough for a sample of the process to show that it is over. */
const OVERLOAD_SECONDS = 5;

/** The caller's budget is spent: answered 429, with the seconds to wait. */
export class RateLimited extends Refusal {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, text: string = ERRORS.RATE_LIMIT_EXCEEDED.text) {
    super("RATE_LIMIT_EXCEEDED", text);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Too much is asked of this process: answered 503, with the seconds to wait. */
export class Overloaded extends Refusal {
  readonly retryAfterSeconds: number;

  constructor(text: string = ERRORS.UNAVAILABLE.text, retryAfterSeconds = OVERLOAD_SECONDS) {
    super("UNAVAILABLE", text);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The same request is being run already: answered 409; its answer is there a moment later. */
export class InProgress extends Refusal {
  readonly retryAfterSeconds = 1;

  constructor(text: string) {
    super("CONFLICT", text);
  }
}
