import { ERRORS, Refusal } from "#contracts/errors.ts";
import type { QueueFull } from "#infra/kernel/queue-counts.ts";

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

/** What a full queue of work is to who wanted to enter it. */
export function fullQueue({ isOfOne }: QueueFull): RateLimited | Overloaded {
  if (!isOfOne)
    return new Overloaded("Too much work waits already; try again", RETRY_AFTER_SECONDS);
  return new RateLimited(RETRY_AFTER_SECONDS, "Too much work of yours waits already; try again");
}

/** The same request is running already: answered 409; its answer is ready a moment later. */
export class InProgress extends Refusal {
  readonly retryAfterSeconds = 1;

  constructor(text: string) {
    super("CONFLICT", text);
  }
}
