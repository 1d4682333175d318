import type { FastifyReply, FastifyRequest } from "fastify";
import { includesScope, type Scope } from "#contracts/access-scopes.ts";
import { Refusal } from "#contracts/errors.ts";
import { lesserRole, type Role } from "#contracts/roles.ts";
import { isTokenSecret, TOKEN_REALM, tokenSecretHash } from "#infra/vault/tokens.ts";
import type { PresentedToken, TokenName } from "#projections/read/accounts.ts";
import { isForEventService } from "../http/event-service-paths.ts";
import type { Actor } from "../http/handler.ts";
import { rateLimited } from "./budget-headers.ts";
import { networkOf } from "./caller-keys.ts";
import type { Credentials } from "./credentials.ts";
import { type DigestAnswer, isRightAnswer } from "./digest-answer.ts";
import type { FailureBudget } from "./failure-budget.ts";
import type { Nonces } from "./nonces.ts";

export type AccessTokens = {
  readonly find: (token: TokenName) => Promise<PresentedToken | null>;
  readonly noteUse: (token: PresentedToken) => Promise<void>;
};

export type TokenAuthenticationDeps = {
  readonly accessTokens: AccessTokens;
  readonly nonces: Nonces;
  readonly publicBaseUrl: string;
  /** Of secrets that were never given out, by network; null without a limit. */
  readonly failures: FailureBudget | null;
};

export type TokenCaller =
  | { readonly actor: Actor }
  | { readonly refused: Error; readonly isStale?: true };

/**
 * Who calls by an access token: as Bearer, as the password of Basic, or by Digest, where the event service
 * is asked. Null where the credentials are none of a token. Every request looks the token up, so an end
 * is felt at once. A secret of 160 bits cannot be guessed, so a good one is never refused for failures
 * of others.
 */
export function createTokenAuthentication(deps: TokenAuthenticationDeps) {
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
    if (!isFor(request, answer.uri, deps.publicBaseUrl)) return { refused: otherAddress() };
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

/** RFC 7616, section 3.4.6. */
function otherAddress(): Refusal {
  return new Refusal("VALIDATION_ERROR", "Authorization: uri is not the address of the request");
}

function unauthenticated(sentence: string): Refusal {
  return new Refusal("UNAUTHENTICATED", sentence);
}
