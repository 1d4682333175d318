import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
} from "openid-client";
import { HOUR_MS } from "#contracts/units.ts";

export type OpenIdClient = {
  /** As the provider writes it of itself: https, or http on a loopback address. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without a secret, which PKCE alone protects. */
  readonly clientSecret: string | null;
  /** For each request to the provider. */
  readonly timeoutSeconds: number;
};

/** Reads what a provider says of itself (OpenID Connect Discovery 1.0). */
export function discover(client: OpenIdClient): Promise<Configuration> {
  const { issuer, clientId, clientSecret, timeoutSeconds } = client;
  const server = new URL(issuer);
  const isPlain = server.protocol === "http:";
  return discovery(server, clientId, {}, clientSecret === null ? None() : secretly(clientSecret), {
    timeout: timeoutSeconds,
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

/**
 * What a provider says of itself: asked for once it is needed, by one request for all who wait, and again after
 * an hour or a failure. What is known stays in use where the provider does not answer any more.
 */
export function createDiscovery(
  ask: () => Promise<Configuration>,
  now: () => number = () => performance.now(),
): () => Promise<Configuration> {
  let known: { readonly configuration: Configuration; readonly until: number } | null = null;
  let asking: Promise<Configuration> | null = null;

  const begin = (): Promise<Configuration> => {
    const answer = ask().then((configuration) => {
      known = { configuration, until: now() + HOUR_MS };
      return configuration;
    });
    return answer.finally(() => {
      asking = null;
    });
  };

  return () => {
    if (known !== null && now() < known.until) return Promise.resolve(known.configuration);
    asking ??= begin();
    const stale = known;
    return stale === null ? asking : asking.catch(() => stale.configuration);
  };
}
