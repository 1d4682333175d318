/**
 * How often callers may call: budgets of requests by rate class, and budgets of failures of
 * those who sign in.
 */

import { createHmac } from "node:crypto";
import rateLimit from "@fastify/rate-limit";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from "fastify";
import type { RateClass } from "#contracts/http/operation.ts";
import { MINUTE_MS } from "#contracts/units.ts";
import type { Config } from "#infra/config/config.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import type { CallerNetwork } from "#services/accounts/passwords.ts";
import { accountTried, callerOf, networkKey, networkOf } from "../access.ts";
import { errorAnswer, RateLimited } from "../errors.ts";

/** Requests per minute, for `auth` per 15 minutes; 0 turns a limit off. */
export type RateLimits = Readonly<Record<"read" | "clients" | "parts" | "write" | "auth", number>>;

export type RateLimitConfig = Pick<
  Config,
  | "rateLimitReadPerMinute"
  | "rateLimitClientsPerMinute"
  | "rateLimitPartsPerMinute"
  | "rateLimitWritePerMinute"
  | "rateLimitAuthPer15Minutes"
>;

export function rateLimitsOf(config: RateLimitConfig): RateLimits {
  return {
    read: config.rateLimitReadPerMinute,
    clients: config.rateLimitClientsPerMinute,
    parts: config.rateLimitPartsPerMinute,
    write: config.rateLimitWritePerMinute,
    auth: config.rateLimitAuthPer15Minutes,
  };
}

const WINDOW_MS: Record<keyof RateLimits, number> = {
  read: MINUTE_MS,
  clients: MINUTE_MS,
  parts: MINUTE_MS,
  write: MINUTE_MS,
  auth: 15 * MINUTE_MS,
};

/** Callers counted at once per limit, about 10 MB; beyond them the least recently seen is evicted. */
const MAX_COUNTED = 50_000;

/** A budget of failed attempts to sign in; null without a limit. */
export function failureOptions(
  { auth: max }: RateLimits,
  maxKeys = MAX_COUNTED,
): FailureBudgetOptions | null {
  return max === 0 ? null : { max, windowMs: WINDOW_MS.auth, maxKeys };
}

export type RateLimitOptions = {
  /** Key for pseudonyms of networks. */
  readonly secret: string;
  readonly maxCounted?: number;
};

/** Hooks that count the requests of a class; none for a class without a limit. */
export type RateLimitHooks = {
  readonly onRequest: onRequestHookHandler[];
  /** Counts by data of the body. */
  readonly preHandler: preHandlerHookHandler[];
  /** Runs requests about an account, and counts by their outcome. */
  readonly attempt: RunAttempt | null;
};

export type RunAttempt = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (network: CallerNetwork) => Promise<T>,
) => Promise<T>;

/**
 * One budget per rate class and user, or network for guests, shared by all operations of the class;
 * the plugin's own route option would give every route a separate budget. The class `auth` has two
 * budgets, one per network and one per address in the body, which `recovery` shares. The class `sign-in`
 * has budgets of failures with the same size.
 */
export async function registerRateLimits(
  app: FastifyInstance,
  limits: RateLimits,
  { secret, maxCounted = MAX_COUNTED }: RateLimitOptions,
): Promise<(rate: RateClass) => RateLimitHooks> {
  await app.register(rateLimit, { global: false });
  const counter = (rate: keyof RateLimits, keyOf: KeyOf): CountRequest =>
    requestCounter(app, { max: limits[rate], timeWindow: WINDOW_MS[rate] }, keyOf, maxCounted);
  const limiter = (rate: keyof RateLimits, keyOf: KeyOf) => limitedBy(counter(rate, keyOf));
  const none = { onRequest: [], preHandler: [], attempt: null };
  const byCaller = (rate: "read" | "clients" | "parts" | "write"): RateLimitHooks =>
    limits[rate] === 0 ? none : { ...none, onRequest: [limiter(rate, callerOf)] };
  const unlimited = {
    ...none,
    attempt: fromNetwork(secret, (_request, _reply, work) => work(false)),
  };
  const hooks: Record<RateClass, RateLimitHooks> = {
    read: byCaller("read"),
    clients: byCaller("clients"),
    parts: byCaller("parts"),
    write: byCaller("write"),
    auth: unlimited,
    recovery: unlimited,
    "sign-in": unlimited,
    none,
  };
  const failures = failureOptions(limits, maxCounted);
  if (failures !== null) {
    hooks["sign-in"] = { ...none, attempt: fromNetwork(secret, createSignInLimits(failures)) };
    const onRequest = [limiter("auth", networkKey)];
    hooks.auth = { ...unlimited, onRequest, preHandler: [limiter("auth", accountTried)] };
    const recovery = createRecoveryLimits(counter("auth", accountTried), counter("auth", placeOf));
    hooks.recovery = { ...none, onRequest, attempt: fromNetwork(secret, recovery) };
  }
  return (rate) => hooks[rate];
}

type KeyOf = (request: FastifyRequest) => string | null;

function requestCounter(
  app: FastifyInstance,
  budget: { readonly max: number; readonly timeWindow: number },
  keyOf: KeyOf,
  maxCounted: number,
): CountRequest {
  const keyGenerator = (request: FastifyRequest) => keyOf(request) ?? "";
  const count = app.createRateLimit({ ...budget, keyGenerator, ...cache(maxCounted) });
  return async (request, reply) => {
    if (keyOf(request) === null) return null;
    const counted = await count(request);
    if (counted.isAllowed) return null;
    const { max, remaining, ttlInSeconds: resetSeconds, isExceeded } = counted;
    const state = { max, remaining, resetSeconds };
    if (isExceeded) return state;
    setBudgetHeaders(reply, state);
    return null;
  };
}

function limitedBy(count: CountRequest) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const spent = await count(request, reply);
    if (spent !== null) throw rateLimited(reply, spent);
  };
}

/** An account as it is tried from one network. */
function placeOf(request: FastifyRequest): string | null {
  const account = accountTried(request);
  return account && `${account} ${networkKey(request)}`;
}

/** The plugin passes this cache size to each limiter, but its type lacks the option. */
function cache(entries: number): object {
  return { cache: entries };
}

/** Passes the pseudonym of the caller's network on. */
function fromNetwork(secret: string, limits: SignInLimits): RunAttempt {
  return (request, reply, work) => {
    const tag = createHmac("sha256", `networks ${secret}`).update(networkOf(request)).digest();
    return limits(request, reply, (mustBeKnown) => work({ tag, mustBeKnown }));
  };
}

/** Counts a request. @returns the budget where it is used up */
type CountRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<BudgetState | null>;

/**
 * Once strangers have used up an account's budget, requests from a network that it has signed in from before
 * are still served, within a budget of that network's own. All others are refused alike, whether the account
 * exists or not.
 */
function createRecoveryLimits(byAccount: CountRequest, byKnownNetwork: CountRequest): SignInLimits {
  return async (request, reply, work) => {
    const spent = await byAccount(request, reply);
    if (spent === null) return work(false);
    if ((await byKnownNetwork(request, reply)) !== null) throw rateLimited(reply, spent);
    return work(true).catch((error: unknown) => {
      throw isFailure(error) ? rateLimited(reply, spent) : error;
    });
  };
}

/**
 * Runs a verification of a password, which fails with 401, within the budgets of such failures.
 * @throws RateLimited
 */
type SignInLimits = <T>(
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
function createSignInLimits(options: FailureBudgetOptions): SignInLimits {
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
function isFailure(error: unknown): boolean {
  return errorAnswer(error).status === 401;
}

function waitOf({ remaining, resetSeconds }: BudgetState): number {
  return remaining === 0 ? resetSeconds : 0;
}

/** Sets the headers with the remaining budget; of two budgets, the one that is used up sooner. */
function setBudgetHeaders(reply: FastifyReply, state: BudgetState): void {
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

/** The state of a budget: how much is left, and when it is full again. */
type BudgetState = {
  readonly max: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

/** A running attempt; its caller reports the outcome. */
type Attempt = { readonly end: (failed: boolean) => void };

/** Failures per key in a window that starts with the first failure. */
export type FailureBudget = ReturnType<typeof createFailureBudget>;

type FailureBudgetOptions = {
  /** Failures in a window. */
  readonly max: number;
  readonly windowMs: number;
  /** Keys counted at once; beyond them the least recently used is evicted. */
  readonly maxKeys: number;
  /** A clock in milliseconds, from any start. */
  readonly now?: () => number;
};

type Entry = {
  failures: number;
  endsAt: number;
  running: number;
  readonly waiting: (() => void)[];
};

/**
 * Counts failures only, and never more than `max`, however many attempts are concurrent: as many run
 * as may still fail, and the others wait for their outcomes.
 */
export function createFailureBudget(options: FailureBudgetOptions) {
  const { max, windowMs, maxKeys, now = () => performance.now() } = options;
  const entries = createRecent<Entry>(maxKeys);

  function entryOf(key: string): Entry {
    const entry = entries.get(key) ?? { failures: 0, endsAt: 0, running: 0, waiting: [] };
    return renewed(entry);
  }

  function renewed(entry: Entry): Entry {
    if (entry.failures > 0 && entry.endsAt <= now()) entry.failures = 0;
    return entry;
  }

  function end(key: string, entry: Entry, failed: boolean): void {
    renewed(entry).running -= 1;
    if (failed) {
      if (entry.failures === 0) entry.endsAt = now() + windowMs;
      entry.failures += 1;
    }
    const isIdle = entry.failures === 0 && entry.running === 0;
    if (isIdle && entries.get(key) === entry) entries.drop(key);
    // Wakes all waiters, since there may be no further attempt on this entry whose end could wake
    // them. Those that must keep waiting keep their order.
    for (const wake of entry.waiting.splice(0)) wake();
  }

  return {
    /** Null when the budget is used up. Waits while running attempts may still use it up. */
    async begin(key: string): Promise<Attempt | null> {
      for (;;) {
        const entry = entryOf(key);
        entries.keep(key, entry);
        if (entry.failures >= max) return null;
        if (entry.failures + entry.running < max) {
          entry.running += 1;
          return { end: (failed) => end(key, entry, failed) };
        }
        await new Promise<void>((resolve) => entry.waiting.push(resolve));
      }
    },
    stateOf(key: string): BudgetState {
      const { failures, endsAt } = entryOf(key);
      const leftMs = failures > 0 ? endsAt - now() : windowMs;
      const remaining = Math.max(0, max - failures);
      return { max, remaining, resetSeconds: Math.ceil(leftMs / 1_000) };
    },
  };
}
