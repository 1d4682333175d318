import type { Credentials } from "@eventstore/db-client";

export type Endpoint = { readonly host: string; readonly port: number };

export type Encryption = {
  readonly endpoints: readonly Endpoint[];
  /** Path of the trusted certificates; null for the machine's own. */
  readonly authorityFile: string | null;
};

/** A connection string without user and password, and the two separately. */
export type ConnectionString = {
  readonly server: string;
  readonly credentials: Credentials;
  /** Null without TLS. */
  readonly encryption: Encryption | null;
};

/**
 * esdb://[user:password@]host[:port][,host[:port]…][?option=value…], by the client's own grammar.
 * The client's own parser would print the whole string, including the password, for an unknown
 * option and in its errors.
 */
const GRAMMAR =
  /^(?<scheme>esdb(?:\+discover)?:\/\/)(?:(?<user>[^:@/?]+):(?<password>[^@/?]+)@)?(?<hosts>[\w.-]+(?::\d{1,5})?(?:,[\w.-]+(?::\d{1,5})?)*)\/?(?:\?(?<options>.+))?$/;

/** The client's default. */
const DEFAULT_PORT = 2113;

const NUMBER = /^-?\d{1,9}$/;
const TEXT = /^[^\s]+$/;

/** The client's options, except those that it warns about or that change how it answers. */
const OPTIONS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    tls: /^(true|false)$/,
    tlsCAFile: TEXT,
    connectionName: TEXT,
    nodePreference: /^(leader|follower|random|read_only_replica)$/,
    maxDiscoverAttempts: NUMBER,
    discoveryInterval: NUMBER,
    gossipTimeout: NUMBER,
    keepAliveInterval: /^\d{5,9}$/,
    keepAliveTimeout: NUMBER,
  }),
);

/** Without TLS the client sends no credentials, but having some makes it use single appends. */
const NOT_SENT: Credentials = { username: "-", password: "-" };

/** Null when invalid, or with TLS but no user, since such servers refuse anonymous writes. */
export function readConnectionString(text: string): ConnectionString | null {
  const { scheme, user, password, hosts, options = "" } = GRAMMAR.exec(text.trim())?.groups ?? {};
  if (scheme === undefined || hosts === undefined) return null;
  const pairs = options === "" ? [] : options.split("&").map((option) => option.split("="));
  const isKnown = pairs.every(
    ([name = "", value = "", ...rest]) =>
      rest.length === 0 && OPTIONS.get(name)?.test(value) === true,
  );
  if (!isKnown) return null;
  const encryption = encryptionOf(hosts, new Map(pairs as [string, string][]));
  const server = `${scheme}${hosts}${options === "" ? "" : `?${options}`}`;
  if (user !== undefined && password !== undefined) {
    const credentials = decoded(user, password);
    return credentials && { server, credentials, encryption };
  }
  return encryption === null ? { server, credentials: NOT_SENT, encryption } : null;
}

function encryptionOf(hosts: string, options: ReadonlyMap<string, string>): Encryption | null {
  if (options.get("tls") === "false") return null;
  const endpoints = hosts.split(",").map((each) => {
    const [host = "", port] = each.split(":");
    return { host, port: port === undefined ? DEFAULT_PORT : Number(port) };
  });
  return { endpoints, authorityFile: options.get("tlsCAFile") ?? null };
}

function decoded(user: string, password: string): Credentials | null {
  try {
    return { username: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return null;
  }
}
