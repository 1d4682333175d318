import { ERRORS, RetryLater } from "#contracts/errors.ts";
import type { QueueFull } from "#infra/kernel/fair-queue.ts";

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
