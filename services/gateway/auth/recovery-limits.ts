import type { FastifyReply, FastifyRequest } from "fastify";
import { rateLimited } from "./budget-headers.ts";
import type { BudgetState } from "./failure-budget.ts";
import { isFailure, type SignInLimits } from "./sign-in-limits.ts";

/** Counts a request. @returns the budget where it is used up */
export type CountRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<BudgetState | null>;

/**
 * Once strangers have used up an account's budget, requests from a network that it has signed in from before
 * are still served, within a budget of that network's own. All others are refused alike, whether the account
 * exists or not.
 */
export function createRecoveryLimits(
  byAccount: CountRequest,
  byKnownNetwork: CountRequest,
): SignInLimits {
  return async (request, reply, work) => {
    const spent = await byAccount(request, reply);
    if (spent === null) return work(false);
    if ((await byKnownNetwork(request, reply)) !== null) throw rateLimited(reply, spent);
    return work(true).catch((error: unknown) => {
      throw isFailure(error) ? rateLimited(reply, spent) : error;
    });
  };
}
