import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, onRequestHookHandler } from "fastify";
import { ApiError, ERRORS } from "#contracts/errors.ts";
import type { RateClass } from "#contracts/http/operation.ts";

const MINUTE_MS = 60_000;

/** Requests per minute, for `auth` per 15 minutes; 0 turns one off (contract §1). */
export type RateLimits = { readonly read: number; readonly write: number; readonly auth: number };

const WINDOW_MS: Record<Exclude<RateClass, "none">, number> = {
  read: MINUTE_MS,
  write: MINUTE_MS,
  auth: 15 * MINUTE_MS,
};

/** Raised by the limiter; answered as contract §2 says, with the seconds to wait. */
export class RateLimited extends ApiError {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super("RATE_LIMIT_EXCEEDED", ERRORS.RATE_LIMIT_EXCEEDED.text);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The hooks that count a request against its class; none for a class without a limit. */
export type RateLimitHooks = (rate: RateClass) => onRequestHookHandler[];

/**
 * One budget per rate class and user, or address for a guest, shared by all operations of the class:
 * the plugin's own route option would give every route a budget of its own.
 */
export async function registerRateLimits(
  app: FastifyInstance,
  limits: RateLimits,
): Promise<RateLimitHooks> {
  await app.register(rateLimit, { global: false });
  const limiter = (rate: keyof RateLimits) =>
    app.rateLimit({
      max: limits[rate],
      timeWindow: WINDOW_MS[rate],
      keyGenerator: (request) => request.actor?.userId ?? request.ip,
      errorResponseBuilder: (_request, { ttl }) => new RateLimited(Math.ceil(ttl / 1000)),
    });
  const hooks: Record<RateClass, onRequestHookHandler[]> = {
    read: limits.read === 0 ? [] : [limiter("read")],
    write: limits.write === 0 ? [] : [limiter("write")],
    auth: limits.auth === 0 ? [] : [limiter("auth")],
    none: [],
  };
  return (rate) => hooks[rate];
}
