import { isIP } from "node:net";
import rateLimit, { normalizeIP } from "@fastify/rate-limit";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from "fastify";
import { ApiError, ERRORS } from "#contracts/errors.ts";
import type { RateClass } from "#contracts/http/operation.ts";
import { accountTried } from "./account-tried.ts";

const MINUTE_MS = 60_000;

/** Requests per minute, for `auth` per 15 minutes; 0 turns one off (contract §1). */
export type RateLimits = { readonly read: number; readonly write: number; readonly auth: number };

const WINDOW_MS: Record<Exclude<RateClass, "none">, number> = {
  read: MINUTE_MS,
  write: MINUTE_MS,
  auth: 15 * MINUTE_MS,
};

/** Callers counted at once per limit, about 10 MB: beyond them the one unseen longest is forgotten. */
const MAX_COUNTED = 50_000;

/** Raised by the limiter; answered as contract §2 says, with the seconds to wait. */
export class RateLimited extends ApiError {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super("RATE_LIMIT_EXCEEDED", ERRORS.RATE_LIMIT_EXCEEDED.text);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The hooks that count a request of a class; none for a class without a limit. */
export type RateLimitHooks = (rate: RateClass) => {
  readonly onRequest: onRequestHookHandler[];
  /** What only the body tells. */
  readonly preHandler: preHandlerHookHandler[];
};

const UNLIMITED = { onRequest: [], preHandler: [] };

/**
 * One budget per rate class and user, or address for a guest, shared by all operations of the class:
 * the plugin's own route option would give every route a budget of its own. Operations of the class
 * `auth` have two, one per address and one per account: neither can one address try many accounts,
 * nor many addresses one.
 */
export async function registerRateLimits(
  app: FastifyInstance,
  limits: RateLimits,
  maxCounted = MAX_COUNTED,
): Promise<RateLimitHooks> {
  await app.register(rateLimit, { global: false });

  function limiter(rate: keyof RateLimits, keyOf: (request: FastifyRequest) => string | null) {
    const count = app.createRateLimit({
      max: limits[rate],
      timeWindow: WINDOW_MS[rate],
      keyGenerator: (request) => keyOf(request) ?? "",
      ...cache(maxCounted),
    });
    return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (keyOf(request) === null) return;
      const counted = await count(request);
      if (!counted.isAllowed) tell(reply, counted);
    };
  }

  const byCaller = (rate: "read" | "write") =>
    limits[rate] === 0 ? UNLIMITED : { onRequest: [limiter(rate, callerOf)], preHandler: [] };
  const hooks: Record<RateClass, ReturnType<RateLimitHooks>> = {
    read: byCaller("read"),
    write: byCaller("write"),
    auth:
      limits.auth === 0
        ? UNLIMITED
        : {
            onRequest: [limiter("auth", addressOf)],
            preHandler: [limiter("auth", accountTried)],
          },
    none: UNLIMITED,
  };
  return (rate) => hooks[rate];
}

/** The plugin gives each limiter a cache of this size; its type leaves the option out. */
function cache(entries: number): object {
  return { cache: entries };
}

function callerOf(request: FastifyRequest): string {
  return request.actor ? `user ${request.actor.userId}` : addressOf(request);
}

/** An IPv6 subscriber has a whole /64 to choose addresses from: it counts as one. */
function addressOf(request: FastifyRequest): string {
  // A proxy may pass on what is no address; whatever its length, it is not kept.
  const address = isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? "") : request.ip;
  return `address ${normalizeIP(address, 64)}`;
}

type Counted = {
  readonly max: number;
  readonly remaining: number;
  readonly ttlInSeconds: number;
  readonly isExceeded: boolean;
};

/**
 * Tells how much of a budget is left; of two, the one that is used up sooner.
 * @throws RateLimited
 */
function tell(reply: FastifyReply, { max, remaining, ttlInSeconds, isExceeded }: Counted): void {
  const told = reply.getHeader("x-ratelimit-remaining");
  if (told === undefined || isExceeded || remaining < Number(told)) {
    reply.headers({
      "x-ratelimit-limit": max,
      "x-ratelimit-remaining": remaining,
      "x-ratelimit-reset": ttlInSeconds,
    });
  }
  if (!isExceeded) return;
  reply.header("retry-after", ttlInSeconds);
  throw new RateLimited(ttlInSeconds);
}
