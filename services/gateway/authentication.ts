/**
 * Who calls: by a session in a cookie or as bearer token, or by an access token as Bearer, Basic
 * or Digest.
 */

import { createHash, createHmac } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { includesScope, type Scope } from "#contracts/access-scopes.ts";
import { Refusal } from "#contracts/errors.ts";
import { lesserRole, type Role } from "#contracts/rights.ts";
import type { Config } from "#infra/config/config.ts";
import { equalTexts, isLoopbackHost } from "#infra/kernel/texts.ts";
import {
  isTokenSecret,
  sessionCookieName,
  TOKEN_REALM,
  tokenSecretHash,
} from "#infra/vault/tokens.ts";
import type { PresentedToken, TokenName } from "#projections/read/accounts.ts";
import { networkOf } from "../access.ts";
import type { Actor } from "../handler.ts";
import { type Challenges, isForEventService } from "./answers.ts";
import { type FailureBudget, rateLimited } from "./rate-limits.ts";

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

/** What a request says of where it comes from: its headers `Origin` and `Host`. */
type Sender = { readonly origin: string; readonly host: string | undefined };

/**
 * Tells whether pages of an origin may use a visitor's cookie. A service that is known by a loopback
 * address has several names on its machine (localhost, 127.0.0.1), so there the one that was called counts too.
 */
export function ownOrigins(
  publicBaseUrl: string,
  corsOrigins: readonly string[],
): (sender: Sender) => boolean {
  const base = new URL(publicBaseUrl);
  const origins = new Set([base.origin, ...corsOrigins]);
  const isLocal = isLoopbackHost(base.hostname);
  return ({ origin, host }) => {
    if (origins.has(origin)) return true;
    if (!isLocal || !URL.canParse(origin)) return false;
    const url = new URL(origin);
    return url.origin === origin && url.host === host && isLoopbackHost(url.hostname);
  };
}

/** What the header `Authorization` says. */
type Credentials =
  | { readonly scheme: "bearer"; readonly token: string }
  | { readonly scheme: "basic"; readonly password: string }
  | { readonly scheme: "digest"; readonly answer: DigestAnswer };

/** Null for none, a malformed header, and for any other scheme. */
export function readCredentials(header: string | undefined): Credentials | null {
  const [, scheme, rest = ""] = /^(\S+) +(.*)$/s.exec(header ?? "") ?? [];
  switch (scheme?.toLowerCase()) {
    case "bearer":
      return { scheme: "bearer", token: rest };
    case "basic":
      return readBasic(rest);
    case "digest": {
      const answer = readDigestAnswer(rest);
      return answer && { scheme: "digest", answer };
    }
    default:
      return null;
  }
}

/** RFC 7617, section 2: the user name ends at the first colon. */
function readBasic(encoded: string): Credentials | null {
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? null : { scheme: "basic", password: text.slice(colon + 1) };
}

export type AccessTokens = {
  readonly find: (token: TokenName) => Promise<PresentedToken | null>;
  readonly noteUse: (token: PresentedToken) => Promise<void>;
};

type TokenAuthenticationDeps = {
  readonly accessTokens: AccessTokens;
  readonly nonces: Nonces;
  readonly publicBaseUrl: string;
  /** Of secrets that were never given out, by network; null without a limit. */
  readonly failures: FailureBudget | null;
};

type TokenCaller = { readonly actor: Actor } | { readonly refused: Error; readonly isStale?: true };

/**
 * Who calls by an access token: as Bearer, as the password of Basic, or by Digest, where the event service
 * is asked. Null where the credentials are none of a token. Every request looks the token up, so an end
 * is felt at once. A secret of 160 bits cannot be guessed, so a good one is never refused for failures
 * of others.
 */
function createTokenAuthentication(deps: TokenAuthenticationDeps) {
  const { accessTokens, failures } = deps;

  async function bySecret(secret: string, onUnknown: () => Promise<Error>): Promise<TokenCaller> {
    const token = await accessTokens.find({ secretHash: tokenSecretHash(secret) });
    return token === null ? { refused: await onUnknown() } : callerBy(token);
  }

  async function byDigest(
    answer: DigestAnswer,
    request: FastifyRequest,
    onUnknown: () => Promise<Error>,
  ): Promise<TokenCaller> {
    // RFC 7616, section 3.4.6.
    if (!isFor(request, answer.uri, deps.publicBaseUrl)) {
      const text = "Authorization: uri is not the address of the request";
      return { refused: new Refusal("VALIDATION_ERROR", text) };
    }
    const token =
      answer.realm === TOKEN_REALM ? await accessTokens.find({ id: answer.username }) : null;
    if (token === null || !isRightAnswer(answer, token.ha1, request.method)) {
      return { refused: await onUnknown() };
    }
    if (deps.nonces.isFresh(answer.nonce)) return callerBy(token);
    return { refused: unauthenticated("The nonce is no longer good"), isStale: true };
  }

  async function callerBy(token: PresentedToken): Promise<TokenCaller> {
    const fault = faultOf(token);
    if (fault !== null) return { refused: unauthenticated(fault) };
    if (!token.usedLately) await accessTokens.noteUse(token);
    return { actor: actorOf(token) };
  }

  async function unknown(request: FastifyRequest, reply: FastifyReply): Promise<Error> {
    const network = networkOf(request);
    const attempt = await failures?.begin(network);
    if (failures && !attempt) return rateLimited(reply, failures.stateOf(network));
    attempt?.end(true);
    return unauthenticated("The access token is not known");
  }

  return (
    credentials: Credentials,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<TokenCaller> | null => {
    const onUnknown = () => unknown(request, reply);
    if (credentials.scheme === "digest") {
      if (!isForEventService(request)) return null;
      return byDigest(credentials.answer, request, onUnknown);
    }
    const secret = credentials.scheme === "basic" ? credentials.password : credentials.token;
    return isTokenSecret(secret) ? bySecret(secret, onUnknown) : null;
  };
}

/** The actor that a token is now; null once it is refused. */
export async function tokenActor(
  accessTokens: Pick<AccessTokens, "find">,
  id: string,
): Promise<Actor | null> {
  const token = await accessTokens.find({ id });
  return token === null || faultOf(token) !== null ? null : actorOf(token);
}

function faultOf({ isEnded, isExpired, isActive, expires }: PresentedToken): string | null {
  if (isEnded) return "The access token was ended";
  if (isExpired) return `The access token expired on ${expires}`;
  return isActive ? null : "The account of the access token's owner is deactivated";
}

function actorOf(token: PresentedToken): Actor {
  const { id, scopes, catalogues, userId, email, name, role: ownerRole, expires } = token;
  const role = lesserRole(ownerRole, roleFor(scopes));
  const by = { id, scopes, catalogues, ownerRole };
  return { userId, email, name, role, sessionId: null, expires, token: by };
}

/** As whom a token acts at most. Its maker's role was no less, or it is older than that rule. */
function roleFor(scopes: readonly Scope[]): Role {
  if (includesScope(scopes, "admin")) return "admin";
  return includesScope(scopes, "write") ? "editor" : "viewer";
}

/** Clients give the address as they see it, which is below that of a proxy where there is one. */
function isFor({ originalUrl }: FastifyRequest, uri: string, publicBaseUrl: string): boolean {
  const { pathname } = new URL(publicBaseUrl);
  return uri === originalUrl || uri === pathname.replace(/\/$/, "") + originalUrl;
}

function unauthenticated(sentence: string): Refusal {
  return new Refusal("UNAUTHENTICATED", sentence);
}

/** `name=token` or `name="quoted"` (RFC 9110, sections 5.6.4 and 11.2). */
const PARAMETERS = /\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))\s*(?:,|$)/gsy;

/** A client's answer to a challenge of HTTP Digest with MD5 and `qop=auth` (RFC 7616, section 3.4). */
export type DigestAnswer = NonNullable<ReturnType<typeof readDigestAnswer>>;

/** Null for an answer that lacks something, is malformed, or of another algorithm. */
export function readDigestAnswer(text: string) {
  const parameters = readParameters(text);
  if (parameters === null) return null;
  const value = (name: string) => parameters.get(name) ?? "";
  const algorithm = parameters.get("algorithm") ?? "MD5";
  if (algorithm.toUpperCase() !== "MD5" || value("qop").toLowerCase() !== "auth") return null;
  const answer = {
    username: value("username"),
    realm: value("realm"),
    nonce: value("nonce"),
    uri: value("uri"),
    cnonce: value("cnonce"),
    /** How often the nonce has been used, 8 hexadecimal digits. */
    nc: value("nc"),
    /** 32 hexadecimal digits. */
    response: value("response").toLowerCase(),
  };
  const isWhole = /^[0-9a-f]{8}$/i.test(answer.nc) && /^[0-9a-f]{32}$/.test(answer.response);
  return isWhole ? answer : null;
}

/** By their names in lower case; null for a malformed list and for a name given twice. */
function readParameters(text: string): ReadonlyMap<string, string> | null {
  const parameters = new Map<string, string>();
  let end = 0;
  for (const { 0: whole, 1: name = "", 2: quoted, 3: plain = "" } of text.matchAll(PARAMETERS)) {
    const key = name.toLowerCase();
    if (parameters.has(key)) return null;
    parameters.set(key, quoted === undefined ? plain : quoted.replaceAll(/\\(.)/gs, "$1"));
    end += whole.length;
  }
  return end === text.length ? parameters : null;
}

/** Whether an answer was made with the secret behind `ha1` (hex) for a request with this method. */
export function isRightAnswer(answer: DigestAnswer, ha1: string, method: string): boolean {
  const { nonce, nc, cnonce, uri, response } = answer;
  const ha2 = md5(`${method}:${uri}`);
  return equalTexts(md5(`${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`), response);
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

/**
 * Clients of the event service read the first challenge alone, and ObsPy knows none but Digest. Elsewhere
 * the scheme is one for which browsers open no dialog.
 */
export function createChallenges(nonces: Nonces): Challenges {
  return (request) => {
    if (!isForEventService(request)) return "Bearer";
    const stale = request.hasStaleNonce ? ", stale=true" : "";
    return [
      `Digest realm="${TOKEN_REALM}", qop="auth", algorithm=MD5, nonce="${nonces.next()}"${stale}`,
      `Basic realm="${TOKEN_REALM}", charset="UTF-8"`,
    ];
  };
}

/**
 * As long as an answer may be repeated, by its client for one request after the other or by somebody
 * who overheard it for the very same read.
 */
const LIFETIME_MS = 5 * 60_000;
/** Clocks of gateways may differ by so much. */
const SKEW_MS = 60_000;

/**
 * Nonces of HTTP Digest: made by one gateway, known to all that share its secret, and kept by none.
 * @param now milliseconds since 1970, of a clock that all gateways share
 */
export function createNonces(secret: string, now: () => number = Date.now) {
  const key = `digest nonces ${secret}`;
  const sign = (time: string) => createHmac("sha256", key).update(time).digest("base64url");
  return {
    next: () => {
      const time = now().toString(36);
      return `${time}.${sign(time)}`;
    },
    /** Whether a nonce was made here lately; of others clients are told that they are stale. */
    isFresh: (nonce: string) => {
      const [time = "", signature = ""] = nonce.split(".");
      const age = now() - Number.parseInt(time, 36);
      return age >= -SKEW_MS && age < LIFETIME_MS && equalTexts(signature, sign(time));
    },
  };
}

type Nonces = ReturnType<typeof createNonces>;
