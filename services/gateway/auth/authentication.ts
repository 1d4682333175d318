import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import type { Config } from "#infra/config/config.ts";
import { sessionCookieName } from "#infra/vault/tokens.ts";
import type { Actor } from "../http/handler.ts";
import { readCredentials } from "./credentials.ts";
import { ownOrigins } from "./own-origins.ts";
import {
  createTokenAuthentication,
  type TokenAuthenticationDeps,
  type TokenCaller,
} from "./token-authentication.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The signed-in caller; null for a guest, and for an invalid or expired session. */
    actor: Actor | null;
    /** Why an access token was not accepted; thrown once the request is counted. */
    refusedCredentials: Error | null;
    /** Whether it was refused for its nonce alone, so that the client may try again by itself. */
    hasStaleNonce: boolean;
  }
}

export type AuthenticationDeps = Omit<TokenAuthenticationDeps, "publicBaseUrl"> & {
  /** `corsOrigins` are other origins that may send requests with credentials. */
  readonly config: Pick<Config, "publicBaseUrl" | "corsOrigins">;
  /** The actor of a token's session, if it is alive and its user active. */
  readonly readActor: (claims: SessionClaims) => Promise<Actor | null>;
};

const SessionClaims = z.object({ sub: z.string().regex(/^\w{1,100}$/), sid: z.uuid() });
export type SessionClaims = z.infer<typeof SessionClaims>;

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Reads who calls before anything else is done for a request. An access token, like a session as bearer
 * token, precedes the cookie. A write by cookie from another origin is refused, since browsers send the cookie
 * automatically; so is a WebSocket, which pages of every origin can read.
 */
export function registerAuthentication(app: FastifyInstance, deps: AuthenticationDeps): void {
  const { publicBaseUrl, corsOrigins } = deps.config;
  const cookieName = sessionCookieName(publicBaseUrl);
  const isOwn = ownOrigins(publicBaseUrl, corsOrigins);
  const authenticateToken = createTokenAuthentication({ ...deps, publicBaseUrl });
  app.decorateRequest("actor", null);
  app.decorateRequest("refusedCredentials", null);
  app.decorateRequest("hasStaleNonce", false);

  app.addHook("onRequest", async (request, reply) => {
    if (needsNoSession(request)) return;
    const credentials = readCredentials(request.headers.authorization);
    const byToken = credentials && (await authenticateToken(credentials, request, reply));
    if (byToken !== null) return keepCaller(request, byToken);
    const bearer = credentials?.scheme === "bearer" ? credentials.token : undefined;
    const cookie = request.cookies[cookieName];
    const token = bearer ?? cookie;
    if (token === undefined) return;
    const claims = readClaims(app, token);
    if (claims) request.actor = await deps.readActor(claims);
    const isByCookie = request.actor !== null && bearer === undefined;
    if (isByCookie && isGuarded(request) && !isFromOwn(request, isOwn)) {
      throw new Refusal("FORBIDDEN", "Requests from this origin are not accepted");
    }
  });
}

function keepCaller(request: FastifyRequest, caller: TokenCaller): void {
  if ("actor" in caller) request.actor = caller.actor;
  else {
    request.refusedCredentials = caller.refused;
    request.hasStaleNonce = caller.isStale === true;
  }
}

/** Probes and pages are answered even while the database, which has the sessions, is unavailable. */
function needsNoSession({ routeOptions }: FastifyRequest): boolean {
  const { operation, isConsole } = routeOptions.config;
  return isConsole === true || (operation?.access === "public" && operation.rate === "none");
}

/** Only unexpired tokens signed here with HS256 count; other tokens are ignored. */
function readClaims(app: FastifyInstance, token: string): SessionClaims | null {
  for (const signed of [app.jwt, app.jwt.previous]) {
    try {
      return SessionClaims.parse(signed?.verify(token));
    } catch {
      // Not by this secret.
    }
  }
  return null;
}

function isGuarded({ method, routeOptions }: FastifyRequest): boolean {
  return !SAFE_METHODS.has(method) || routeOptions.config.operation?.upgrade === "websocket";
}

/** Clients without an origin are no pages. */
function isFromOwn({ headers }: FastifyRequest, isOwn: ReturnType<typeof ownOrigins>): boolean {
  const { origin, host } = headers;
  return origin === undefined || isOwn({ origin, host });
}
