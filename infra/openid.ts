import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { z } from "zod";
import { Refusal, SIGN_IN_REFUSALS, type SignInRefusal } from "#contracts/errors.ts";
import { HOUR_MS } from "#contracts/units.ts";
import { type CircuitBreaker, CircuitOpen } from "./agency/http/exchange.ts";
import { checkDepth, DEFAULT_LIMITS, InvalidJson } from "./json/json.ts";

/** What the browser keeps between the beginning of a sign-in and its end. */
export type SignInFlow = {
  /** Comes back with the answer, so that nobody can end a sign-in in somebody else's browser. */
  readonly state: string;
  /** Comes back in the signed id token, so that an earlier one cannot be used again. */
  readonly nonce: string;
  /** Of PKCE (RFC 7636): whoever has only the code cannot use it. */
  readonly verifier: string;
};

type OpenIdProviderOptions = OpenIdClient & {
  readonly groupsClaim: string;
  /** Where the provider sends the browser back, without a query. */
  readonly callbackUrl: string;
  readonly breaker: Pick<CircuitBreaker, "run">;
};

const SCOPES = ["openid", "email", "profile"];

export type OpenIdProvider = ReturnType<typeof createOpenIdProvider>;

/** An institute's sign-in: OpenID Connect, authorization code flow with PKCE. */
export function createOpenIdProvider(options: OpenIdProviderOptions) {
  const { groupsClaim, callbackUrl, breaker } = options;
  const discovery = createDiscovery(() => discover(options));
  const inCircuit = <T>(
    configured: () => Promise<Configuration>,
    work: (configuration: Configuration) => Promise<T>,
  ): Promise<T> =>
    breaker
      .run(async () => work(await configured()))
      .catch((error: unknown) => {
        throw refusalOf(error);
      });
  return {
    /** Only where the provider answers, so that nobody is sent to one that does not. @throws SignInRefused */
    begin: () =>
      inCircuit(discovery.answering, async (configuration) => {
        const flow = {
          state: randomState(),
          nonce: randomNonce(),
          verifier: randomPKCECodeVerifier(),
        };
        const url = buildAuthorizationUrl(configuration, {
          redirect_uri: callbackUrl,
          scope: scopesOf(configuration, groupsClaim).join(" "),
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: "S256",
        });
        return { url: url.href, flow };
      }),
    /**
     * @param query of the address to which the provider has sent the browser back
     * @throws SignInRefused
     */
    finish: (query: string, flow: SignInFlow) =>
      inCircuit(discovery.known, async (configuration) => {
        const claims = await claimsOf(configuration, new URL(`${callbackUrl}?${query}`), flow);
        return identityOf(claims, groupsClaim);
      }),
  };
}

/** Some providers tell groups only to who asks for them; others refuse scopes that they do not know. */
function scopesOf(configuration: Configuration, groupsClaim: string): readonly string[] {
  const known = configuration.serverMetadata().scopes_supported ?? [];
  return known.includes(groupsClaim) ? [...SCOPES, groupsClaim] : SCOPES;
}

/** What the id token says, and what the provider adds when asked. */
async function claimsOf(
  configuration: Configuration,
  answer: URL,
  { state, nonce, verifier }: SignInFlow,
): Promise<Claims> {
  const tokens = await authorizationCodeGrant(configuration, answer, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
  });
  const idToken = tokens.claims();
  if (idToken === undefined) throw new Error("openid-client has passed an answer without id token");
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return idToken;
  const more = await fetchUserInfo(configuration, tokens.access_token, idToken.sub);
  return { ...more, ...idToken };
}

const absent = () => Promise.reject(new Refusal("NOT_FOUND"));

/** Where no institute's sign-in is set up. */
export const NO_PROVIDER: OpenIdProvider = { begin: absent, finish: absent };

type OpenIdClient = {
  /** As the provider writes it of itself: https, or http on a loopback address. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without a secret, which PKCE alone protects. */
  readonly clientSecret: string | null;
  /** For each request to the provider. */
  readonly timeoutSeconds: number;
};

/** Reads what a provider says of itself (OpenID Connect Discovery 1.0). */
function discover(client: OpenIdClient): Promise<Configuration> {
  const { issuer, clientId, clientSecret, timeoutSeconds } = client;
  const server = new URL(issuer);
  const isPlain = server.protocol === "http:";
  return discovery(server, clientId, {}, clientSecret === null ? None() : secretly(clientSecret), {
    timeout: timeoutSeconds,
    [customFetch]: boundedFetch,
    // Signatures of id tokens are checked even where TLS has told the provider's identity.
    execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
  });
}

/** As the provider takes it; by header where it does not say (OpenID Connect Discovery 1.0, section 3). */
function secretly(clientSecret: string): ClientAuth {
  const byHeader = ClientSecretBasic(clientSecret);
  const inBody = ClientSecretPost(clientSecret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? byHeader : inBody)(server, ...rest);
  };
}

/** An address to which a person is sent within it is there, and nobody makes us ask more often. */
const ANSWERING_MS = 1_000;

/** What a provider says of itself, asked by one request for all who wait. */
export function createDiscovery(
  ask: () => Promise<Configuration>,
  now: () => number = () => performance.now(),
) {
  let last: { readonly configuration: Configuration; readonly at: number } | null = null;
  let asking: Promise<Configuration> | null = null;

  const begin = (): Promise<Configuration> => {
    const answer = ask().then((configuration) => {
      last = { configuration, at: now() };
      return configuration;
    });
    return answer.finally(() => {
      asking = null;
    });
  };

  const answering = (withinMs = ANSWERING_MS): Promise<Configuration> => {
    if (last !== null && now() < last.at + withinMs) return Promise.resolve(last.configuration);
    asking ??= begin();
    return asking;
  };
  return {
    /** Of a provider that has answered in the last second: rejects where it does not answer any more. */
    answering: () => answering(),
    /**
     * Asked for once it is needed, and again after an hour or a failure. What is known stays in use where the
     * provider does not answer any more.
     */
    known: () => {
      const stale = last;
      const asked = answering(HOUR_MS);
      return stale === null ? asked : asked.catch(() => stale.configuration);
    },
  };
}

/** Far more than providers say; keys and groups are the longest of it. */
const MAX_BYTES = 1024 * 1024;

/**
 * `fetch` for a provider's answers, whose whole body is read here: within the time of the request's signal, and no
 * further than it may be long, however it is compressed, or deep.
 * @throws TypeError, as `fetch` where there is no answer
 */
const boundedFetch: CustomFetch = async (url, options) => {
  // Node takes every body that openid-client sends.
  const response = await fetch(url, options as RequestInit);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > MAX_BYTES) throw unusable(new Error(`it is longer than ${MAX_BYTES} bytes`));
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  try {
    checkDepth(bytes, 0, DEFAULT_LIMITS.maxDepth);
  } catch (error) {
    throw error instanceof InvalidJson ? unusable(error) : error;
  }
  return new Response(length === 0 ? null : bytes, response);
};

function unusable(cause: Error): TypeError {
  return new TypeError("the provider's answer cannot be used", { cause });
}

type Claims = Readonly<Record<string, unknown>>;

const Text = z.string().trim().min(1).nullable().catch(null);
const Required = z.object({ iss: z.string(), sub: z.string().min(1) });
/** One group may come without a list; some providers have booleans as texts. */
const Groups = z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([]);
const Verified = z.union([z.literal(true), z.literal("true")]);

/** Characters of a subject (OpenID Connect Core 1.0, section 2). */
const MAX_SUBJECT = 255;

/** Who somebody is to a provider. */
export type Identity = ReturnType<typeof identityOf>;

/**
 * @param groupsClaim the claim that has the names of the person's groups
 * @throws SignInRefused for a subject that is too long
 */
function identityOf(claims: Claims, groupsClaim: string) {
  const { iss: issuer, sub: subject } = Required.parse(claims);
  if (subject.length > MAX_SUBJECT) throw new SignInRefused("long-subject");
  return {
    issuer,
    /** The provider's own name for the person, which it gives to nobody else. */
    subject,
    /** Null where the provider does not tell it. */
    email: Text.parse(claims["email"] ?? null),
    isEmailVerified: Verified.safeParse(claims["email_verified"]).success,
    /** Null where the provider does not tell it. No address: others see it. */
    name: nameIn(claims),
    groups: Groups.parse(claims[groupsClaim]),
  };
}

/** The first that is there and no address, which some providers give as a name. */
function nameIn(claims: Claims): string | null {
  const text = (name: string) => Text.parse(claims[name] ?? null);
  const parts = [text("given_name"), text("family_name")].filter((part) => part !== null);
  const names = [text("name"), parts.join(" "), text("preferred_username")];
  return names.find((name) => name !== null && name !== "" && !name.includes("@")) ?? null;
}

/** Codes of openid-client for a provider that is silent, or answers with something else than OpenID Connect. */
const NO_ANSWER: ReadonlySet<unknown> = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
]);

/** Errors of RFC 6749 that say that the client is registered otherwise than it is set up here. */
const OF_SET_UP: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "invalid_scope",
  "unsupported_response_type",
  "unsupported_grant_type",
]);

/** Errors by which a person, or the provider's rules for persons, say no. */
const BY_PERSON: ReadonlySet<string> = new Set(["access_denied", "consent_required"]);

const OF_ILLNESS: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

/** What a failure in the conversation with a provider means for the person. */
function refusalOf(error: unknown): SignInRefused {
  if (error instanceof SignInRefused) return error;
  return new SignInRefused(reasonOf(error), { cause: error });
}

/** Whether an error shows that the provider is ill, not that a sign-in failed. */
export function isUnavailable(error: unknown): boolean {
  return refusalOf(error).reason === "unavailable";
}

function reasonOf(error: unknown): SignInRefusal {
  if (error instanceof CircuitOpen) return "unavailable";
  if (error instanceof AuthorizationResponseError) return reasonOfCode(error.error);
  if (error instanceof ResponseBodyError) {
    return error.status >= 500 ? "unavailable" : reasonOfCode(error.error);
  }
  // What `fetch` throws where there is no connection.
  if (error instanceof TypeError && error.cause !== undefined) return "unavailable";
  if (!(error instanceof ClientError)) return "badly-set-up";
  return NO_ANSWER.has(error.code) ? "unavailable" : "not-confirmed";
}

function reasonOfCode(code: string): SignInRefusal {
  if (BY_PERSON.has(code)) return "cancelled";
  if (OF_SET_UP.has(code)) return "badly-set-up";
  return OF_ILLNESS.has(code) ? "unavailable" : "not-confirmed";
}

/** A sign-in with an institute's account that fails. */
export class SignInRefused extends Refusal {
  readonly reason: SignInRefusal;

  constructor(reason: SignInRefusal, options: { cause?: unknown } = {}) {
    const { code, text } = SIGN_IN_REFUSALS[reason];
    super(code, text, options);
    this.reason = reason;
  }
}
