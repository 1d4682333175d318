/// <reference path="./oidc-provider.d.ts" />
import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import Provider from "oidc-provider";
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js";

const CLIENT = { id: "earthquakes", secret: "what the institute and the service know" };
const SCOPES = "openid email profile groups";

/** Claims of a person beside `sub`. */
export type Person = { readonly sub: string; readonly [claim: string]: unknown };

export type Institute = {
  readonly issuer: string;
  /** What makes a service use it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whoever signs in from now on; null cancels each sign-in. */
  readonly attend: (person: Person | null) => void;
  /** Whether the codes that it gives have expired when they come back. */
  readonly expireCodes: (areExpired: boolean) => void;
  /** Whether it takes requests without answering them. */
  readonly freeze: (isFrozen: boolean) => void;
  /** What it answers from now on to requests whose path has an end, in its place; null for itself. */
  readonly answer: (
    instead: { readonly path: string; readonly body: () => Iterable<Buffer> } | null,
  ) => void;
  /** Bytes of such answers that were taken. */
  readonly sent: () => number;
  readonly close: () => Promise<void>;
};

/**
 * An institute's sign-in on a loopback address: the provider `oidc-provider`, where whoever comes is the person
 * who attends, without a form.
 * @param callbackUrls where services want browsers back
 */
export async function startInstitute(callbackUrls: readonly string[]): Promise<Institute> {
  const people = new Map<string, Person>();
  let attending: Person | null = null;
  let areExpired = false;
  let isFrozen = false;
  let instead: Parameters<Institute["answer"]>[0] = null;
  let sent = 0;
  const server = createServer();
  const issuer = await listen(server);
  const provider = new Provider(issuer, {
    ...configurationOf(callbackUrls, people),
    adapter: adapterOf(() => areExpired),
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    if (isFrozen) return;
    if (instead && request.url?.endsWith(instead.path)) {
      response.writeHead(200, { "content-type": "application/json" });
      const counted = Readable.from(instead.body()).on("data", ({ length }) => {
        sent += length;
      });
      pipeline(counted, response, () => {});
      return;
    }
    if (!request.url?.startsWith("/interaction/")) answer(request, response);
    else void provider.interactionFinished(request, response, resultOf(attending));
  });
  return {
    issuer,
    variables: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
    },
    attend: (person) => {
      attending = person;
      if (person) people.set(person.sub, person);
    },
    expireCodes: (expired) => {
      areExpired = expired;
    },
    freeze: (frozen) => {
      isFrozen = frozen;
    },
    answer: (other) => {
      instead = other;
    },
    sent: () => sent,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Of all institutes: it takes a while to make. */
const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

function configurationOf(callbackUrls: readonly string[], people: ReadonlyMap<string, Person>) {
  return {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: callbackUrls }],
    jwks: { keys: [{ ...key.export({ format: "jwk" }), alg: "RS256", use: "sig" }] },
    cookies: { keys: ["of tests alone"] },
    scopes: SCOPES.split(" "),
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "given_name", "family_name", "preferred_username"],
      groups: ["groups"],
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => people.get(accountId),
    }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    loadExistingGrant: grantEverything,
  };
}

type GrantContext = {
  readonly oidc: {
    readonly provider: Provider;
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
};

/** Nobody is asked whether the service may know who they are. */
async function grantEverything({ oidc: { provider, client, session } }: GrantContext) {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(SCOPES);
  await grant.save();
  return grant;
}

function resultOf(person: Person | null) {
  return person === null
    ? { error: "access_denied", error_description: "the person has cancelled" }
    : { login: { accountId: person.sub } };
}

/** Keeps the provider's data in memory, as it does by itself. */
function adapterOf(areCodesExpired: () => boolean) {
  return class extends MemoryAdapter {
    override async find(id: string) {
      const found = await super.find(id);
      const isExpired = this.model === "AuthorizationCode" && areCodesExpired();
      return found && isExpired ? { ...found, exp: 1 } : found;
    }
  };
}

/** @returns its address */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A browser without pages, which keeps cookies by host and follows no redirect by itself. */
export type Visitor = {
  readonly get: (url: string) => Promise<Response>;
  readonly post: (url: string, body: unknown) => Promise<Response>;
  /** Follows redirects from `url` on, until one leads to an address that begins with `prefix`. */
  readonly follow: (url: string, prefix: string) => Promise<string>;
  /** The cookies that a host would be sent; `restore` brings them back. */
  readonly cookies: (url: string) => string;
  readonly restore: (url: string, cookies: string) => void;
};

const MAX_REDIRECTS = 10;

export function createVisitor(accept = "*/*"): Visitor {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string): Map<string, string> => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const cookies = (url: string): string =>
    [...jarOf(url)].map(([name, value]) => `${name}=${value}`).join("; ");
  const restore = (url: string, text: string): void => {
    const jar = jarOf(url);
    jar.clear();
    for (const pair of text.split("; ")) keep(jar, pair);
  };
  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = { accept, cookie: cookies(url), ...init.headers };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) keep(jarOf(url), cookie);
    return response;
  }
  return {
    get: (url) => send(url),
    post: (url, body) =>
      send(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    follow: async (url, prefix) => {
      let at = url;
      for (let hops = 0; hops < MAX_REDIRECTS; hops += 1) {
        const response = await send(at);
        const location = response.headers.get("location");
        if (location === null)
          throw new Error(`${at} answered ${response.status} without going on`);
        at = new URL(location, at).href;
        if (at.startsWith(prefix)) return at;
      }
      throw new Error(`no redirect from ${url} leads to ${prefix}`);
    },
    cookies,
    restore,
  };
}

/** An empty or ended one is dropped. */
function keep(jar: Map<string, string>, header: string): void {
  const [pair = "", ...attributes] = header.split(";");
  const [name = "", ...value] = pair.split("=");
  const isEnded = attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute));
  if (isEnded || name === "") jar.delete(name);
  else jar.set(name, value.join("="));
}
