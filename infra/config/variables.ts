import { z } from "zod";
import { SERVICE_DIALECTS } from "#contracts/agency.ts";
import {
  baseUrl,
  catalogueId,
  databaseUrl,
  eventStoreUrl,
  flag,
  groupsOfRoles,
  hostsWithPorts,
  integer,
  issuerUrl,
  natsUrl,
  oneOf,
  origins,
  ports,
  shownName,
  subsetOf,
  tilesUrl,
  url,
} from "./values.ts";

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

/** Every environment variable of the service, as text; an empty one counts as unset. */
export const Variables = z.object({
  HOST: z.string().default("127.0.0.1"),
  /** 0 takes any free port. */
  PORT: integer(0, 65_535).default(3000),
  DATA_DIR: z.string().default("./data"),
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
  FDSN_CATALOGUE: catalogueId().optional(),
  MAP_TILES_URL: tilesUrl().optional(),
  MAP_TILES_CREDIT: shownName().optional(),
  CONSOLE_STYLEGUIDE: flag().default(false),
  RATE_LIMIT_READ: integer(0, MAX_RATE).default(120),
  RATE_LIMIT_CLIENTS: integer(0, MAX_RATE).default(600),
  RATE_LIMIT_WRITE: integer(0, MAX_RATE).default(60),
  RATE_LIMIT_AUTH: integer(0, MAX_RATE).default(10),
  FEED_STREAMS: integer(1, 1_000_000).default(10_000),
  CORS_ORIGINS: origins().default([]),
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
