import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { ApiError } from "#contracts/errors.ts";
import { createLastSeen } from "#infra/postgres/last-seen.ts";
import { sessionCookieName } from "#infra/security/session-cookie.ts";
import type { Actor } from "../handler.ts";

declare module "fastify" {
  interface FastifyRequest {
    /**
     * The signed-in caller; null for a guest, also for a token that is not or no longer good. Of a
     * request that only reads it may be the caller as last seen, until `isStillCaller` has told.
     */
    actor: Actor | null;
    /** The caller as this request reads it; null when `actor` is that already. */
    readingActor: Promise<Actor | null> | null;
  }
}

export type AuthenticationDeps = {
  readonly publicBaseUrl: string;
  /** Other origins that may call with credentials. */
  readonly corsOrigins: readonly string[];
  /** The session that a token names, when it is alive and its user active. */
  readonly readActor: (claims: SessionClaims) => Promise<Actor | null>;
};

const SessionClaims = z.object({ sub: z.string().regex(/^\w{1,100}$/), sid: z.uuid() });
export type SessionClaims = z.infer<typeof SessionClaims>;

/** About a megabyte. */
const MAX_SEEN = 2_000;

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Finds out who calls, for every request anew; one that only reads need not wait for it before it
 * begins. A bearer token comes before the cookie.
 * A write by cookie from another origin is refused: a browser sends the cookie along on its own.
 */
export function registerAuthentication(app: FastifyInstance, deps: AuthenticationDeps): void {
  const cookieName = sessionCookieName(deps.publicBaseUrl);
  const origins = new Set([new URL(deps.publicBaseUrl).origin, ...deps.corsOrigins]);
  const seen = createLastSeen<Actor>(MAX_SEEN);
  app.decorateRequest("actor", null);
  app.decorateRequest("readingActor", null);

  async function identify(request: FastifyRequest, claims: SessionClaims): Promise<void> {
    const read = async (): Promise<Actor | null> => {
      const actor = await deps.readActor(claims);
      seen.put(claims.sid, actor);
      return actor;
    };
    const last = SAFE_METHODS.has(request.method) ? seen.of(claims.sid) : null;
    if (last === null) {
      request.actor = await read();
      return;
    }
    // What is asked for goes to the database first: it takes longer there.
    const reading = setImmediate().then(read);
    // A request that ends before it asks has no use for the failure.
    reading.catch(() => undefined);
    request.actor = last;
    request.readingActor = reading;
  }

  app.addHook("onRequest", async (request) => {
    if (isProbe(request)) return;
    const bearer = bearerToken(request);
    const cookie = request.cookies[cookieName];
    const token = bearer ?? cookie;
    if (token === undefined) return;
    const claims = readClaims(app, token);
    if (claims) await identify(request, claims);
    if (request.actor && bearer === undefined) refuseForeignOrigin(request, origins);
  });
}

/**
 * Whether the caller is who `actor` says. Where it is not, `actor` is who it is: what was done for the
 * other has to be done again.
 */
export async function isStillCaller(request: FastifyRequest): Promise<boolean> {
  const { actor, readingActor } = request;
  if (readingActor === null) return true;
  request.readingActor = null;
  request.actor = await readingActor;
  return isDeepStrictEqual(request.actor, actor);
}

/** Whoever asks how the service is gets an answer also while the database, which knows them, is away. */
function isProbe({ routeOptions }: FastifyRequest): boolean {
  const { operation } = routeOptions.config;
  return operation?.access === "public" && operation.rate === "none";
}

function bearerToken(request: FastifyRequest): string | undefined {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  return scheme?.toLowerCase() === "bearer" ? token : undefined;
}

/** Only tokens signed here with HS256 and not expired count; any other is as good as none. */
function readClaims(app: FastifyInstance, token: string): SessionClaims | null {
  try {
    return SessionClaims.parse(app.jwt.verify(token));
  } catch {
    return null;
  }
}

function refuseForeignOrigin(request: FastifyRequest, origins: ReadonlySet<string>): void {
  const given = request.headers.origin;
  if (SAFE_METHODS.has(request.method) || given === undefined || origins.has(given)) return;
  throw new ApiError("FORBIDDEN", "Requests from this origin are not accepted");
}
