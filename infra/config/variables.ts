import { z } from "zod";
import { SERVICE_DIALECTS } from "#contracts/events/imports.ts";
import { isShownLine, NOT_SHOWN } from "#contracts/text.ts";
import { isLoopbackHost, trimEnd } from "../kernel/texts.ts";
import { hostsOf, readEventStoreServers, readNatsServers } from "./servers.ts";

/** A secret that is too strong for guessing. */
function signingSecret() {
  const length = `must have at least ${MIN_SECRET_LENGTH} characters, not counting blanks at its ends`;
  return z
    .string()
    .refine(isLongSecret, { error: length, abort: true })
    .refine(
      isVariedSecret,
      "must be random: it is few characters, or a short text, again and again",
    );
}

/** HMAC-SHA256 keys shorter than the hash are weaker than it (RFC 7518, 3.2). */
const MIN_SECRET_LENGTH = 32;

/** 32 random digits have fewer distinct ones once in a million, random letters never. */
const MIN_DISTINCT_CHARACTERS = 6;

/** Whether a secret is long enough, without blanks at its ends, which are easy to guess. */
function isLongSecret(secret: string): boolean {
  return secret.trim().length >= MIN_SECRET_LENGTH;
}

/** Whether a secret has enough distinct characters and is not a repeated short text. */
function isVariedSecret(secret: string): boolean {
  const text = secret.trim();
  const isMixed = new Set(text).size >= MIN_DISTINCT_CHARACTERS;
  return isMixed && lengthWithoutRepeats(text) >= MIN_SECRET_LENGTH;
}

/** Length of the shortest text whose repetition is the secret; the secret's own length without one. */
function lengthWithoutRepeats(secret: string): number {
  for (let length = 1; length <= secret.length / 2; length += 1) {
    if (secret.startsWith(secret.slice(length))) return length;
  }
  return secret.length;
}

/** The parts of the service that a process can run. */
export const PROCESS_ROLES = ["gateway", "projector", "notifier", "publisher"] as const;

/** Who may make an account: everybody; everybody, to be activated by an administrator; administrators. */
const REGISTRATIONS = ["open", "approval", "closed"] as const;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const MAX_RATE = 1_000_000;

/** The placeholders that the map fills in; `r` is `@2x` on dense screens. */
const TILE_PLACES = /\{(?:x|-?y|z|r)\}/g;

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["off", false],
  ["0", false],
]);

/** Every environment variable of the service, as text; an empty one counts as unset. */
export const Variables = z.object({
  HOST: z.string().default("127.0.0.1"),
  /** 0 takes any free port. */
  PORT: integer(0, 65_535).default(3000),
  DATA_DIR: z.string().default("./data"),
  PARTS_DIR: z.string().optional(),
  DATABASE_URL: databaseUrl().optional(),
  EVENTSTORE_URL: eventStoreUrl().optional(),
  NATS_URL: natsUrl().optional(),
  NATS_REPLICAS: oneOf(["1", "3", "5"]).default("1").transform(Number),
  KAFKA_BROKERS: hostsWithPorts().optional(),
  KAFKA_SSL: flag().default(false),
  KAFKA_CA_FILE: z.string().optional(),
  KAFKA_SASL_MECHANISM: oneOf(["plain", "scram-sha-256", "scram-sha-512"]).optional(),
  KAFKA_USERNAME: z.string().optional(),
  KAFKA_PASSWORD: z.string().optional(),
  ROLES: subsetOf(PROCESS_ROLES).default(new Set(PROCESS_ROLES)),
  JWT_SECRET: signingSecret().optional(),
  JWT_SECRET_PREVIOUS: signingSecret().optional(),
  PUBLIC_BASE_URL: baseUrl().optional(),
  SESSION_DAYS: integer(1, 3650).default(30),
  CREATE_ADMIN_USER: flag().default(false),
  ADMIN_EMAIL: z.string().optional(),
  ADMIN_PASSWORD: z.string().optional(),
  ADMIN_NAME: shownName().default("Administrator"),
  REGISTRATION: oneOf(REGISTRATIONS).default("open"),
  OIDC_ISSUER: issuerUrl().optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_GROUPS_CLAIM: z.string().default("groups"),
  OIDC_ROLES: groupsOfRoles().optional(),
  OIDC_ONLY: flag().default(false),
  EMAIL_WEBHOOK_URL: url("http", "https").optional(),
  EMAIL_WEBHOOK_SECRET: z.string().optional(),
  EMAIL_WEBHOOK_SECRET_PREVIOUS: z.string().optional(),
  AGENCY_URL: baseUrl().default("https://service.geonet.org.nz/fdsnws/event/1"),
  AGENCY_NAME: shownName().default("GeoNet"),
  AGENCY_DIALECT: oneOf(SERVICE_DIALECTS).optional(),
  AGENCY_TIMEOUT: integer(1, 3600).default(30),
  AGENCY_RETRIES: integer(0, 10).default(3),
  AGENCY_ALLOW_PRIVATE: flag().default(false),
  AGENCY_PORTS: ports().default([80, 443]),
  ALERTS_ALLOW_PRIVATE: flag().default(false),
  FDSN_CATALOGUE: catalogueId().optional(),
  MAP_TILES_URL: tilesUrl().optional(),
  MAP_TILES_CREDIT: shownName().optional(),
  CONSOLE_STYLEGUIDE: flag().default(false),
  RATE_LIMIT_READ: integer(0, MAX_RATE).default(120),
  RATE_LIMIT_CLIENTS: integer(0, MAX_RATE).default(600),
  RATE_LIMIT_PARTS: integer(0, MAX_RATE).default(6000),
  RATE_LIMIT_WRITE: integer(0, MAX_RATE).default(60),
  RATE_LIMIT_AUTH: integer(0, MAX_RATE).default(10),
  FEED_STREAMS: integer(1, 1_000_000).default(10_000),
  CORS_ORIGINS: origins().default([]),
  KEPT_ANSWERS_MB: integer(0, 65_536).default(64),
  MAX_BODY_MB: integer(1, 1024).default(100),
  MAX_UPLOAD_MB: integer(1, 1024).default(100),
  MAX_EVENTS_PER_REQUEST: integer(1, 100_000_000).default(500_000),
  TRUST_PROXY: flag().default(false),
  METRICS_HOST: z.string().default("127.0.0.1"),
  METRICS_PORT: integer(0, 65_535).optional(),
  LOG_LEVEL: oneOf(LOG_LEVELS).default("info"),
});

export type Variables = z.infer<typeof Variables>;
export type VariableName = keyof Variables;

export const VARIABLE_NAMES = Object.keys(Variables.shape) as readonly VariableName[];

/** Each is also taken from the file that the variable of its name and `_FILE` names. */
export const SECRETS = [
  "DATABASE_URL",
  "EVENTSTORE_URL",
  "NATS_URL",
  "KAFKA_PASSWORD",
  "JWT_SECRET",
  "JWT_SECRET_PREVIOUS",
  "ADMIN_PASSWORD",
  "OIDC_CLIENT_SECRET",
  "EMAIL_WEBHOOK_SECRET",
  "EMAIL_WEBHOOK_SECRET_PREVIOUS",
] as const satisfies readonly VariableName[];

/** Readers of one variable each. Messages complete "NAME …", and never show a value. */

function checked(isValid: (value: string) => boolean, message: string) {
  return z.string().refine(isValid, message);
}

/** A whole decimal number between `min` and `max`, inclusive. */
function integer(min: number, max: number) {
  const isValid = (value: string): boolean =>
    /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
  return checked(isValid, `must be a whole number from ${min} to ${max}`).transform(Number);
}

export function flag() {
  return checked((value) => FLAGS.has(value.toLowerCase()), "must be true or false").transform(
    (value) => FLAGS.get(value.toLowerCase()) === true,
  );
}

/** A catalogue's id, in lower case. */
function catalogueId() {
  return checked(
    (value) => z.uuid().safeParse(value).success,
    "must be the UUID of a catalogue",
  ).transform((value) => value.toLowerCase());
}

/** A name that other users see. */
function shownName() {
  return checked(isShownLine, NOT_SHOWN);
}

function oneOf<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values, { error: `must be one of ${values.join(", ")}` });
}

function splitList(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** A comma-separated list of distinct elements of `values`. */
function subsetOf<const V extends readonly [string, ...string[]]>(values: V) {
  const item = z.enum(values);
  const isValid = (text: string): boolean =>
    splitList(text).length > 0 && splitList(text).every((name) => item.safeParse(name).success);
  return checked(isValid, `must be a comma list of ${values.join(", ")}`).transform(
    (text): ReadonlySet<V[number]> => new Set(splitList(text).map((name) => item.parse(name))),
  );
}

/** An absolute URL with one of `schemes`. */
function url(...schemes: readonly string[]) {
  const isValid = (value: string): boolean => {
    const parsed = URL.parse(value);
    return parsed !== null && schemes.includes(parsed.protocol.slice(0, -1)) && parsed.host !== "";
  };
  return checked(isValid, `must be a URL that begins with ${schemes.join(":// or ")}://`);
}

/** A connection string of an event store; an encrypted connection needs a user. */
function eventStoreUrl() {
  return checked(
    (value) => readEventStoreServers(value) !== null,
    "must be esdb://user:password@host:port with known options, or without a user and with tls=false",
  );
}

/** The address of PostgreSQL; its servers may be a comma list, of which one is the primary. */
function databaseUrl() {
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
function natsUrl() {
  return checked(
    (value) => readNatsServers(value) !== null,
    "must be nats://host:port or tls://host:port, or a comma list of them with one user and password",
  );
}

/** An http or https URL as a prefix of paths, without a trailing slash. */
function baseUrl() {
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
function issuerUrl() {
  return url("http", "https").refine((value) => {
    const parsed = URL.parse(value);
    if (parsed === null) return true;
    const isSafe = parsed.protocol === "https:" || isLoopbackHost(parsed.hostname);
    return isSafe && `${parsed.search}${parsed.hash}${parsed.username}${parsed.password}` === "";
  }, "must be https, or http on a loopback address, and have no query, fragment or user name");
}

/** A comma-separated list of `role=group`; the groups of each role. */
function groupsOfRoles() {
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

/** The address of map tiles with {z}, {x} and {y}, for browsers: its host is named, and nobody signs in. */
function tilesUrl() {
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
function origins() {
  const isOrigin = (text: string): boolean =>
    /^https?:/.test(text) && URL.parse(text)?.origin === text;
  return checked(
    (value) => splitList(value).every(isOrigin),
    "must be a comma list of origins such as https://maps.example.org",
  ).transform((value): readonly string[] => Object.freeze(splitList(value)));
}

/** A comma-separated list of TCP ports. */
function ports() {
  const isPort = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
  return checked(
    (value) => splitList(value).length > 0 && splitList(value).every(isPort),
    "must be a comma list of ports from 1 to 65535",
  ).transform((value): readonly number[] => Object.freeze(splitList(value).map(Number)));
}

/** A comma-separated list of `host:port`, without IPv6 addresses, which the Kafka client cannot parse. */
function hostsWithPorts() {
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
