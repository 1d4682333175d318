import { z } from "zod";
import { isShownLine, NOT_SHOWN } from "#contracts/shown-text.ts";
import { isLoopbackHost } from "../kernel/loopback.ts";
import { trimEnd } from "../kernel/trim-end.ts";
import { hostsOf } from "../postgres/hosts.ts";
import { readConnectionString } from "./event-store-connection-string.ts";
import { readNatsServers } from "./nats-servers.ts";

/** Readers of one variable each. Messages complete "NAME …", and never show a value. */

function checked(isValid: (value: string) => boolean, message: string) {
  return z.string().refine(isValid, message);
}

/** A whole decimal number between `min` and `max`, inclusive. */
export function integer(min: number, max: number) {
  const isValid = (value: string): boolean =>
    /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
  return checked(isValid, `must be a whole number from ${min} to ${max}`).transform(Number);
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["off", false],
  ["0", false],
]);

export function flag() {
  return checked((value) => FLAGS.has(value.toLowerCase()), "must be true or false").transform(
    (value) => FLAGS.get(value.toLowerCase()) === true,
  );
}

/** A catalogue's id, in lower case. */
export function catalogueId() {
  return checked(
    (value) => z.uuid().safeParse(value).success,
    "must be the UUID of a catalogue",
  ).transform((value) => value.toLowerCase());
}

/** A name that other users see. */
export function shownName() {
  return checked(isShownLine, NOT_SHOWN);
}

export function oneOf<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values, { error: `must be one of ${values.join(", ")}` });
}

function splitList(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** A comma-separated list of distinct elements of `values`. */
export function subsetOf<const V extends readonly [string, ...string[]]>(values: V) {
  const item = z.enum(values);
  const isValid = (text: string): boolean =>
    splitList(text).length > 0 && splitList(text).every((name) => item.safeParse(name).success);
  return checked(isValid, `must be a comma list of ${values.join(", ")}`).transform(
    (text): ReadonlySet<V[number]> => new Set(splitList(text).map((name) => item.parse(name))),
  );
}

/** An absolute URL with one of `schemes`. */
export function url(...schemes: readonly string[]) {
  const isValid = (value: string): boolean => {
    const parsed = URL.parse(value);
    return parsed !== null && schemes.includes(parsed.protocol.slice(0, -1)) && parsed.host !== "";
  };
  return checked(isValid, `must be a URL that begins with ${schemes.join(":// or ")}://`);
}

/** A connection string of an event store; an encrypted connection needs a user. */
export function eventStoreUrl() {
  return checked(
    (value) => readConnectionString(value) !== null,
    "must be esdb://user:password@host:port with known options, or without a user and with tls=false",
  );
}

/** The address of PostgreSQL; its servers may be a comma list, of which one is the primary. */
export function databaseUrl() {
  const isValid = (value: string): boolean => {
    try {
      return /^postgres(?:ql)?:/.test(value) && hostsOf(value).every(({ host }) => host !== "");
    } catch {
      return false;
    }
  };
  return checked(
    isValid,
    "must be a URL that begins with postgres:// or postgresql://, of one host or a comma list",
  );
}

/** Addresses of NATS. */
export function natsUrl() {
  return checked(
    (value) => readNatsServers(value) !== null,
    "must be nats://host:port or tls://host:port, or a comma list of them with one user and password",
  );
}

/** An http or https URL as a prefix of paths, without a trailing slash. */
export function baseUrl() {
  const isPlain = (value: string): boolean => {
    const parsed = URL.parse(value);
    if (parsed === null) return true;
    return `${parsed.search}${parsed.hash}${parsed.username}${parsed.password}` === "";
  };
  return url("http", "https")
    .refine(isPlain, "must have no query, fragment or user name")
    .transform((value) => trimEnd(value, "/"));
}

/** The issuer of OpenID Connect, as it writes itself: nothing but this machine may be asked unencrypted. */
export function issuerUrl() {
  return url("http", "https").refine((value) => {
    const parsed = URL.parse(value);
    if (parsed === null) return true;
    const isSafe = parsed.protocol === "https:" || isLoopbackHost(parsed.hostname);
    return isSafe && `${parsed.search}${parsed.hash}${parsed.username}${parsed.password}` === "";
  }, "must be https, or http on a loopback address, and have no query, fragment or user name");
}

/** A comma-separated list of `role=group`; the groups of each role. */
export function groupsOfRoles() {
  const pairsOf = (text: string) =>
    splitList(text).map((pair) => {
      const [role = "", ...group] = pair.split("=");
      return { role: role.trim(), group: group.join("=").trim() };
    });
  const isValid = (text: string): boolean =>
    pairsOf(text).length > 0 &&
    pairsOf(text).every(({ role, group }) => /^(?:admin|editor)$/.test(role) && group !== "");
  const groupsOf = (text: string, role: string): readonly string[] =>
    pairsOf(text).flatMap((pair) => (pair.role === role ? [pair.group] : []));
  return checked(isValid, "must be a comma list of admin=group and editor=group").transform(
    (text) => ({ admin: groupsOf(text, "admin"), editor: groupsOf(text, "editor") }),
  );
}

/** The placeholders that the map fills in; `r` is `@2x` on dense screens. */
const TILE_PLACES = /\{(?:x|-?y|z|r)\}/g;

/** The address of map tiles with {z}, {x} and {y}, for browsers: its host is named, and nobody signs in. */
export function tilesUrl() {
  const isTemplate = (value: string): boolean => {
    const parsed = URL.parse(value);
    if (parsed === null) return true;
    const names = ["{z}", "{x}", "y}"].every((name) => value.includes(name));
    const others = /[{}]/.test(value.replaceAll(TILE_PLACES, ""));
    const isPlainHost = /^[A-Za-z0-9.-]+$/.test(parsed.hostname);
    return names && !others && isPlainHost && `${parsed.username}${parsed.password}` === "";
  };
  return url("http", "https").refine(
    isTemplate,
    "must have {z}, {x} and {y} in its path, no other such name, and no user name",
  );
}

/** A comma-separated list of web origins. `*` cannot be combined with credentials. */
export function origins() {
  const isOrigin = (text: string): boolean =>
    /^https?:/.test(text) && URL.parse(text)?.origin === text;
  return checked(
    (value) => splitList(value).every(isOrigin),
    "must be a comma list of origins such as https://maps.example.org",
  ).transform((value): readonly string[] => Object.freeze(splitList(value)));
}

/** A comma-separated list of TCP ports. */
export function ports() {
  const isPort = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
  return checked(
    (value) => splitList(value).length > 0 && splitList(value).every(isPort),
    "must be a comma list of ports from 1 to 65535",
  ).transform((value): readonly number[] => Object.freeze(splitList(value).map(Number)));
}

/** A comma-separated list of `host:port`, without IPv6 addresses, which the Kafka client cannot parse. */
export function hostsWithPorts() {
  const isHostWithPort = (text: string): boolean => {
    const [host = "", port = "", ...rest] = text.split(":");
    const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535;
    return /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host) && isPort && rest.length === 0;
  };
  return checked((value) => {
    const items = splitList(value);
    return items.length > 0 && items.every(isHostWithPort);
  }, "must be a comma list of host:port").transform((value): readonly string[] =>
    Object.freeze(splitList(value)),
  );
}
