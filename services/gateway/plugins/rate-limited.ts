import type { FastifyReply } from "fastify";
import { ApiError, ERRORS } from "#contracts/errors.ts";
import type { BudgetState } from "./failure-budget.ts";

/** Raised by the limiters; answered with the seconds to wait. */
export class RateLimited extends ApiError {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, text: string = ERRORS.RATE_LIMIT_EXCEEDED.text) {
    super("RATE_LIMIT_EXCEEDED", text);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Tells how much of a budget is left; of two, of the one that is used up sooner. */
export function tellBudget(reply: FastifyReply, state: BudgetState): void {
  const told = reply.getHeader("x-ratelimit-remaining");
  if (told !== undefined && state.remaining >= Number(told)) return;
  reply.headers({
    "x-ratelimit-limit": state.max,
    "x-ratelimit-remaining": state.remaining,
    "x-ratelimit-reset": state.resetSeconds,
  });
}

/** The refusal where a budget is spent, with its headers. */
export function rateLimited(reply: FastifyReply, { max, resetSeconds }: BudgetState): RateLimited {
  reply.headers({
    "x-ratelimit-limit": max,
    "x-ratelimit-remaining": 0,
    "x-ratelimit-reset": resetSeconds,
    "retry-after": resetSeconds,
  });
  return new RateLimited(resetSeconds);
}
