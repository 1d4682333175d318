import type { FastifyReply, FastifyRequest } from "fastify";
import { errorAnswer } from "../http/error-answer.ts";
import { rateLimited, setBudgetHeaders } from "./budget-headers.ts";
import { accountTried, networkOf } from "./caller-keys.ts";
import {
  type Attempt,
  type BudgetState,
  createFailureBudget,
  type FailureBudget,
  type FailureBudgetOptions,
} from "./failure-budget.ts";

/**
 * Runs a verification of a password, which fails with 401, within the budgets of such failures.
 * @throws RateLimited
 */
export type SignInLimits = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  verify: (mustBeKnown: boolean) => Promise<T>,
) => Promise<T>;

/** A budget and the key under which a request counts. */
type Counted = { readonly budget: FailureBudget; readonly key: string };

/**
 * Failures count per network and per tried account, whoever the caller is and whether or not the
 * account exists, so that one network cannot try many accounts, nor many networks one.
 *
 * When one of the two budgets is used up, a password is still verified, but accepted only from a
 * network that its account has signed in from before (`mustBeKnown`): attempts by strangers do not
 * lock the owner out. Each network has a budget for such failures too. Their refusals look like
 * those without a verification and take the same work, whether or not the account exists.
 */
export function createSignInLimits(options: FailureBudgetOptions): SignInLimits {
  const byNetwork = createFailureBudget(options);
  const byAccount = createFailureBudget(options);
  const reserve = createFailureBudget(options);

  return async (request, reply, verify) => {
    const network = { budget: byNetwork, key: networkOf(request) };
    const account = { budget: byAccount, key: accountTried(request) };
    // The network first, so that a refused network does not use up the budgets of accounts.
    const counted = [network, account].flatMap(({ budget, key }) =>
      key === null ? [] : { budget, key },
    );
    const states = () => counted.map(({ budget, key }) => budget.stateOf(key));
    const attempt = await beginAll(counted);
    if (attempt !== null) {
      return within(attempt, () => verify(false)).finally(() => {
        for (const state of states()) setBudgetHeaders(reply, state);
      });
    }
    const spent = states().reduce((a, b) => (waitOf(b) > waitOf(a) ? b : a));
    const last = await reserve.begin(network.key);
    if (last === null) throw rateLimited(reply, spent);
    return within(last, () => verify(true)).catch((error: unknown) => {
      throw isFailure(error) ? rateLimited(reply, spent) : error;
    });
  };
}

/** Null when one of the budgets is used up. */
async function beginAll(all: readonly Counted[]): Promise<Attempt | null> {
  const begun: Attempt[] = [];
  const end = (failed: boolean): void => {
    for (const attempt of begun) attempt.end(failed);
  };
  for (const { budget, key } of all) {
    const attempt = await budget.begin(key);
    if (attempt === null) {
      end(false);
      return null;
    }
    begun.push(attempt);
  }
  return { end };
}

async function within<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  let failed = false;
  try {
    return await work();
  } catch (error) {
    failed = isFailure(error);
    throw error;
  } finally {
    attempt.end(failed);
  }
}

/** Other errors and malformed requests show nothing about a password. */
export function isFailure(error: unknown): boolean {
  return errorAnswer(error).status === 401;
}

function waitOf({ remaining, resetSeconds }: BudgetState): number {
  return remaining === 0 ? resetSeconds : 0;
}
