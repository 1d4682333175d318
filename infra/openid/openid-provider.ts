import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import type { CircuitBreaker } from "../agency/circuit-breaker.ts";
import { createDiscovery, discover, type OpenIdClient } from "./discovery.ts";
import { type Claims, type Identity, identityOf } from "./identity.ts";
import { refusalOf } from "./refusal-of.ts";

/** What the browser keeps between the beginning of a sign-in and its end. */
export type SignInFlow = {
  /** Comes back with the answer, so that nobody can end a sign-in in somebody else's browser. */
  readonly state: string;
  /** Comes back in the signed id token, so that an earlier one cannot be used again. */
  readonly nonce: string;
  /** Of PKCE (RFC 7636): whoever has only the code cannot use it. */
  readonly verifier: string;
};

export type OpenIdProvider = {
  /** Only where the provider answers, so that nobody is sent to one that does not. @throws SignInRefused */
  readonly begin: () => Promise<{ readonly url: string; readonly flow: SignInFlow }>;
  /**
   * @param query of the address to which the provider has sent the browser back
   * @throws SignInRefused
   */
  readonly finish: (query: string, flow: SignInFlow) => Promise<Identity>;
};

export type OpenIdProviderOptions = OpenIdClient & {
  readonly groupsClaim: string;
  /** Where the provider sends the browser back, without a query. */
  readonly callbackUrl: string;
  readonly breaker: Pick<CircuitBreaker, "run">;
};

const SCOPES = ["openid", "email", "profile"];

/** An institute's sign-in: OpenID Connect, authorization code flow with PKCE. */
export function createOpenIdProvider(options: OpenIdProviderOptions): OpenIdProvider {
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
    finish: (query, flow) =>
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
