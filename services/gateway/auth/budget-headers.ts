import type { FastifyReply } from "fastify";
import { RateLimited } from "../capacity/retry-later.ts";
import type { BudgetState } from "./failure-budget.ts";

/** Sets the headers with the remaining budget; of two budgets, the one that is used up sooner. */
export function setBudgetHeaders(reply: FastifyReply, state: BudgetState): void {
  const stated = reply.getHeader("x-ratelimit-remaining");
  if (stated !== undefined && state.remaining >= Number(stated)) return;
  reply.headers({
    "x-ratelimit-limit": state.max,
    "x-ratelimit-remaining": state.remaining,
    "x-ratelimit-reset": state.resetSeconds,
  });
}

/** The refusal for a used-up budget, with its headers. */
export function rateLimited(reply: FastifyReply, { max, resetSeconds }: BudgetState): RateLimited {
  reply.headers({
    "x-ratelimit-limit": max,
    "x-ratelimit-remaining": 0,
    "x-ratelimit-reset": resetSeconds,
    "retry-after": resetSeconds,
  });
  return new RateLimited(resetSeconds);
}
