import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from "openid-client";
import { HOUR_MS } from "#contracts/units.ts";
import { DEFAULT_LIMITS } from "../json/json-body.ts";
import { checkDepth, InvalidJson } from "../json/scan.ts";

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

export type Discovery = {
  /**
   * Asked for once it is needed, and again after an hour or a failure. What is known stays in use where the
   * provider does not answer any more.
   */
  readonly known: () => Promise<Configuration>;
  /** Of a provider that has answered in the last second: rejects where it does not answer any more. */
  readonly answering: () => Promise<Configuration>;
};

/** An address to which a person is sent within it is there, and nobody makes us ask more often. */
const ANSWERING_MS = 1_000;

/** What a provider says of itself, asked by one request for all who wait. */
export function createDiscovery(
  ask: () => Promise<Configuration>,
  now: () => number = () => performance.now(),
): Discovery {
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
    answering: () => answering(),
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
