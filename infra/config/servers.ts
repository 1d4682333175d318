/** Addresses of servers as settings give them: of PostgreSQL, of the event store, of NATS. */

import type { Credentials } from "@eventstore/db-client";
import type { ConnectionOptions } from "nats";
import { unbracketed } from "../kernel/texts.ts";

/** One of the servers of an address. */
export type Server = { readonly host: string; readonly port: number };

const POSTGRES_PORT = 5432;

/** postgresql://user:password@ · host:port,host:port · /database?settings */
const POSTGRES_GRAMMAR =
  /^(?<before>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#@]*)(?<after>.*)$/s;

/** The address of one of its servers, by number. */
export function urlOfHost(url: string, index: number): string {
  const { before = "", hosts = "", after = "" } = POSTGRES_GRAMMAR.exec(url)?.groups ?? {};
  return `${before}${hosts.split(",")[index]}${after}`;
}

/** The servers of an address, which may be a comma list: `host:port,host:port`. */
export function hostsOf(url: string): readonly Server[] {
  const hosts = POSTGRES_GRAMMAR.exec(url)?.groups?.["hosts"] ?? "";
  return hosts.split(",").map((_, i) => {
    const { hostname, port } = new URL(urlOfHost(url, i));
    const host = unbracketed(decodeURIComponent(hostname));
    return { host, port: port === "" ? POSTGRES_PORT : Number(port) };
  });
}

/** Changes the part of an address behind its servers. */
export function withSettings(url: string, change: (settings: URLSearchParams) => void): string {
  const { before = "", hosts = "" } = POSTGRES_GRAMMAR.exec(url)?.groups ?? {};
  const one = new URL(urlOfHost(url, 0));
  change(one.searchParams);
  return `${before}${hosts}${one.pathname}${one.search}${one.hash}`;
}

/**
 * esdb://[user:password@]host[:port][,host[:port]…][?option=value…], by the client's own grammar.
 * The client's own parser would print the whole string, including the password, for an unknown
 * option and in its errors.
 */
const EVENT_STORE_GRAMMAR =
  /^(?<scheme>esdb(?:\+discover)?:\/\/)(?:(?<user>[^:@/?]+):(?<password>[^@/?]+)@)?(?<hosts>[\w.-]+(?::\d{1,5})?(?:,[\w.-]+(?::\d{1,5})?)*)\/?(?:\?(?<options>.+))?$/;

/** The client's default. */
const EVENT_STORE_PORT = 2113;

const NUMBER = /^-?\d{1,9}$/;
const TEXT = /^[^\s]+$/;

/** The client's options, except those that it warns about or that change how it answers. */
const EVENT_STORE_OPTIONS: ReadonlyMap<string, RegExp> = new Map(
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

/**
 * A connection string without user and password, the two separately, and how it is encrypted, null without
 * TLS. Null when invalid, or with TLS but no user, since such servers refuse anonymous writes.
 */
export function readEventStoreServers(text: string) {
  const found = EVENT_STORE_GRAMMAR.exec(text.trim())?.groups ?? {};
  const { scheme, user, password, hosts, options = "" } = found;
  if (scheme === undefined || hosts === undefined) return null;
  const pairs = options === "" ? [] : options.split("&").map((option) => option.split("="));
  const isKnown = pairs.every(
    ([name = "", value = "", ...rest]) =>
      rest.length === 0 && EVENT_STORE_OPTIONS.get(name)?.test(value) === true,
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

export type Encryption = NonNullable<ReturnType<typeof encryptionOf>>;

function encryptionOf(hosts: string, options: ReadonlyMap<string, string>) {
  if (options.get("tls") === "false") return null;
  const servers = hosts.split(",").map((each) => {
    const [host = "", port] = each.split(":");
    return { host, port: port === undefined ? EVENT_STORE_PORT : Number(port) };
  });
  /** Path of the trusted certificates; null for the machine's own. */
  const authorityFile = options.get("tlsCAFile") ?? null;
  return { servers, authorityFile };
}

function decoded(user: string, password: string): Credentials | null {
  try {
    return { username: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return null;
  }
}

/** Servers of one cluster, and how a client signs in to each of them. */
export type NatsServers = Pick<ConnectionOptions, "servers" | "tls" | "user" | "pass" | "token">;

/**
 * nats://[user:password@]host[:port] or tls://…, or a comma list, whose later addresses need neither
 * scheme nor user, as with other clients. The client takes user name, password and token as options.
 * @returns null when invalid, or when addresses differ in scheme, user or password
 */
export function readNatsServers(text: string): NatsServers | null {
  const addresses = addressesIn(text);
  const scheme = /^(?:nats|tls):\/\//.exec(addresses[0] ?? "")?.[0];
  if (scheme === undefined) return null;
  const urls = addresses.map((each) => URL.parse(each.includes("://") ? each : scheme + each));
  const [url] = urls;
  if (!url) return null;
  const servers: string[] = [];
  for (const each of urls) {
    if (!each?.host || each.protocol !== url.protocol) return null;
    const signsIn = `${each.username}${each.password}` !== "";
    const isSame = each.username === url.username && each.password === url.password;
    if (signsIn && !isSame) return null;
    servers.push(each.host);
  }
  const credentials = credentialsOf(url);
  return credentials && { servers, ...credentials, ...(scheme === "tls://" && { tls: {} }) };
}

/** The items of a comma list; a comma before the `@` of an address is part of its password. */
function addressesIn(text: string): string[] {
  if (!text.includes(",")) return [text.trim()];
  const addresses: string[] = [];
  for (const item of text.split(",")) {
    const continues = item.includes("@") && !item.includes("://");
    addresses.push(continues ? `${addresses.pop()},${item}` : item.trim());
  }
  // With two of them nobody can say where the password ends.
  return addresses.every((each) => each.split("@").length <= 2) ? addresses : [];
}

function credentialsOf({ username, password }: URL): Omit<NatsServers, "servers"> | null {
  try {
    const user = decodeURIComponent(username);
    if (password !== "") return { user, pass: decodeURIComponent(password) };
    return user === "" ? {} : { token: user };
  } catch {
    return null;
  }
}
