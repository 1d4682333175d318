import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { ADMIN_PASSWORD_MIN } from "#contracts/http/accounts.ts";
import { MIB } from "#contracts/units.ts";
import { flag, SECRETS, VARIABLE_NAMES, type VariableName, Variables } from "./variables.ts";

const SECOND_MS = 1000;

function adminOf(variables: Variables) {
  const { CREATE_ADMIN_USER, ADMIN_EMAIL, ADMIN_PASSWORD, ADMIN_NAME } = variables;
  if (!CREATE_ADMIN_USER || !ADMIN_EMAIL || !ADMIN_PASSWORD) return null;
  return Object.freeze({ email: ADMIN_EMAIL, password: ADMIN_PASSWORD, name: ADMIN_NAME });
}

function emailWebhookOf(variables: Variables) {
  const { EMAIL_WEBHOOK_URL: url, EMAIL_WEBHOOK_SECRET, EMAIL_WEBHOOK_SECRET_PREVIOUS } = variables;
  if (!url) return null;
  const secrets = [EMAIL_WEBHOOK_SECRET, EMAIL_WEBHOOK_SECRET_PREVIOUS];
  /** Both while receivers change from one to the other; none: bodies are not signed. */
  return Object.freeze({ url, secrets: secrets.filter((secret) => secret !== undefined) });
}

function mapTilesOf({ MAP_TILES_URL, MAP_TILES_CREDIT }: Variables) {
  if (!MAP_TILES_URL) return null;
  return Object.freeze({ url: MAP_TILES_URL, credit: MAP_TILES_CREDIT ?? null });
}

function openIdOf(variables: Variables) {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ROLES } = variables;
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID) return null;
  return Object.freeze({
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    /** null: a client without a secret. */
    clientSecret: OIDC_CLIENT_SECRET ?? null,
    groupsClaim: variables.OIDC_GROUPS_CLAIM,
    /** The groups whose members have a role; null: administrators give roles. */
    groupsOfRoles: OIDC_ROLES ?? null,
    /** Who signs in by a password although nobody else does; null: everybody may. */
    only: variables.OIDC_ONLY
      ? Object.freeze({ exceptEmail: variables.ADMIN_EMAIL ?? null })
      : null,
  });
}

function kafkaOf(variables: Variables) {
  const { KAFKA_BROKERS, KAFKA_SSL, KAFKA_CA_FILE } = variables;
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME, KAFKA_PASSWORD } = variables;
  if (!KAFKA_BROKERS) return null;
  return Object.freeze({
    /** Each as `host:port`. */
    brokers: KAFKA_BROKERS,
    /** Without a file the certificates that Node trusts; null for no encryption. */
    ssl: KAFKA_SSL ? { caFile: KAFKA_CA_FILE ?? null } : null,
    sasl:
      mechanism && KAFKA_USERNAME && KAFKA_PASSWORD
        ? { mechanism, username: KAFKA_USERNAME, password: KAFKA_PASSWORD }
        : null,
  });
}

function configOf(variables: Variables) {
  const publicBaseUrl = variables.PUBLIC_BASE_URL ?? `http://localhost:${variables.PORT}`;
  return Object.freeze({
    host: variables.HOST,
    port: variables.PORT,
    dataDir: variables.DATA_DIR,
    /** Of the files of catalogues that engines read: one folder for all gateways. */
    partsDir: variables.PARTS_DIR ?? join(variables.DATA_DIR, "parts"),
    /** null: embedded PostgreSQL. */
    databaseUrl: variables.DATABASE_URL ?? null,
    /** null: the event log is in the database. */
    eventStoreUrl: variables.EVENTSTORE_URL ?? null,
    /** null: notifications are delivered in process, from the log. */
    natsUrl: variables.NATS_URL ?? null,
    /** Servers of NATS that keep each stream. */
    natsReplicas: variables.NATS_REPLICAS,
    /** null: no analytics feed. */
    kafka: kafkaOf(variables),
    roles: variables.ROLES,
    /** null: embedded mode uses the development secret in `dataDir`; otherwise no gateway runs here. */
    jwtSecret: variables.JWT_SECRET ?? null,
    /** Sessions that were signed with it are still good; null: none. */
    previousJwtSecret: variables.JWT_SECRET_PREVIOUS ?? null,
    publicBaseUrl,
    sessionDays: variables.SESSION_DAYS,
    /** The administrator that the setup step creates; null for none. */
    admin: adminOf(variables),
    /** Who may make an account. */
    registration: variables.REGISTRATION,
    /** Sign-in with an institute's account; null: by passwords alone. */
    openId: openIdOf(variables),
    /** null: notifications are only logged. */
    emailWebhook: emailWebhookOf(variables),
    /** UUID of the catalogue of the event service at the root; null: every query names one. */
    fdsnCatalogue: variables.FDSN_CATALOGUE ?? null,
    agencyUrl: variables.AGENCY_URL,
    agencyName: variables.AGENCY_NAME,
    /** Undefined: what the host of its address speaks. */
    agencyDialect: variables.AGENCY_DIALECT,
    /** Longest silence of the agency; a whole answer may take 30 times as long. */
    agencyTimeoutMs: variables.AGENCY_TIMEOUT * SECOND_MS,
    agencyRetries: variables.AGENCY_RETRIES,
    /** Where alerts may be sent. */
    alertAddresses: Object.freeze({
      isOpen: variables.ALERTS_ALLOW_PRIVATE,
      ports: variables.AGENCY_PORTS,
    }),
    /** Where agencies that are added may be. */
    agencyAddresses: Object.freeze({
      isOpen: variables.AGENCY_ALLOW_PRIVATE,
      ports: variables.AGENCY_PORTS,
    }),
    /** Of the map's background; null: the map's own. */
    mapTiles: mapTilesOf(variables),
    /** Whether the console has the page of all its parts, for those who build it. */
    hasStyleguide: variables.CONSOLE_STYLEGUIDE,
    /** Rate limits; 0 turns a limit off. */
    rateLimitReadPerMinute: variables.RATE_LIMIT_READ,
    rateLimitClientsPerMinute: variables.RATE_LIMIT_CLIENTS,
    rateLimitPartsPerMinute: variables.RATE_LIMIT_PARTS,
    rateLimitWritePerMinute: variables.RATE_LIMIT_WRITE,
    rateLimitAuthPer15Minutes: variables.RATE_LIMIT_AUTH,
    /** Streams of changes open at once. */
    feedStreams: variables.FEED_STREAMS,
    corsOrigins: variables.CORS_ORIGINS,
    /** Of answers, and of what analyses have found, that are kept for who asks the same. */
    keptBytes: variables.KEPT_ANSWERS_MB * MIB,
    maxBodyBytes: variables.MAX_BODY_MB * MIB,
    maxUploadBytes: variables.MAX_UPLOAD_MB * MIB,
    maxEventsPerRequest: variables.MAX_EVENTS_PER_REQUEST,
    trustProxy: variables.TRUST_PROXY,
    /** Where every role serves its metrics, to whoever reaches it; null: a gateway's own port alone. */
    metrics:
      variables.METRICS_PORT === undefined
        ? null
        : Object.freeze({ host: variables.METRICS_HOST, port: variables.METRICS_PORT }),
    logLevel: variables.LOG_LEVEL,
  });
}

export type Config = ReturnType<typeof configOf>;

/**
 * The configuration from environment variables, with units in the names.
 * @throws ConfigError that names every wrong or missing variable
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  return configOf(readVariables(rawVariables(env)));
}

const DatabaseVariables = Variables.pick({
  DATABASE_URL: true,
  DATA_DIR: true,
  EVENTSTORE_URL: true,
  PUBLIC_BASE_URL: true,
  PORT: true,
});

/**
 * Where the data are: the configuration that commands need outside the service.
 * @throws ConfigError
 */
export function loadDatabaseConfig(
  env: Readonly<Record<string, string | undefined>>,
): Pick<Config, "databaseUrl" | "dataDir" | "eventStoreUrl" | "publicBaseUrl"> {
  const result = DatabaseVariables.safeParse(rawVariables(env));
  if (!result.success) throw new ConfigError(problemsIn(result.error));
  const { DATABASE_URL, DATA_DIR, EVENTSTORE_URL, PUBLIC_BASE_URL, PORT } = result.data;
  return {
    databaseUrl: DATABASE_URL ?? null,
    dataDir: DATA_DIR,
    eventStoreUrl: EVENTSTORE_URL ?? null,
    publicBaseUrl: PUBLIC_BASE_URL ?? `http://localhost:${PORT}`,
  };
}

/** A problem with one variable; its name followed by `message` is a sentence. */
type ConfigProblem = { readonly variable: string; readonly message: string };

/**
 * The environment is not a valid configuration. The message names all wrong variables, no values.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const sentences = problems.map(({ variable, message }) => `${variable} ${message}`);
    super(`The configuration is not valid: ${sentences.join("; ")}`);
    this.problems = problems;
  }
}

/** The variables as text, without empty ones. */
type RawVariables = Readonly<Partial<Record<VariableName, string>>>;

/** Only embedded mode makes a secret and an address by itself; only a gateway needs the secret. */
function databaseProblems(raw: RawVariables, isGateway: boolean): ConfigProblem[] {
  if (!raw.DATABASE_URL) return [];
  const required = isGateway
    ? (["JWT_SECRET", "PUBLIC_BASE_URL"] as const)
    : (["PUBLIC_BASE_URL"] as const);
  return required
    .filter((variable) => !raw[variable])
    .map((variable) => ({ variable, message: "is required when DATABASE_URL is set" }));
}

/** The first administrator (`contracts/docs/accounts.md`). */
function adminProblems(raw: RawVariables, createAdmin: boolean): ConfigProblem[] {
  if (!createAdmin) return [];
  const problems: ConfigProblem[] = [];
  if (!/^[^\s@]+@[^\s@]+$/.test(raw.ADMIN_EMAIL ?? "")) {
    problems.push({
      variable: "ADMIN_EMAIL",
      message: "must be an email address when CREATE_ADMIN_USER is true",
    });
  }
  if ((raw.ADMIN_PASSWORD ?? "").length < ADMIN_PASSWORD_MIN) {
    problems.push({
      variable: "ADMIN_PASSWORD",
      message: `must have at least ${ADMIN_PASSWORD_MIN} characters when CREATE_ADMIN_USER is true`,
    });
  }
  return problems;
}

/** Variables, each with those that it makes no sense without. */
const NEEDS: readonly (readonly [VariableName, ...VariableName[]])[] = [
  ["KAFKA_SSL", "KAFKA_BROKERS"],
  ["KAFKA_CA_FILE", "KAFKA_SSL"],
  ["KAFKA_SASL_MECHANISM", "KAFKA_BROKERS", "KAFKA_USERNAME", "KAFKA_PASSWORD"],
  ["KAFKA_USERNAME", "KAFKA_SASL_MECHANISM"],
  ["KAFKA_PASSWORD", "KAFKA_SASL_MECHANISM"],
  ["OIDC_ISSUER", "OIDC_CLIENT_ID"],
  ["OIDC_CLIENT_ID", "OIDC_ISSUER"],
  ["OIDC_CLIENT_SECRET", "OIDC_ISSUER"],
  ["OIDC_ROLES", "OIDC_ISSUER"],
  ["OIDC_ONLY", "OIDC_ISSUER"],
  ["JWT_SECRET_PREVIOUS", "JWT_SECRET"],
  ["EMAIL_WEBHOOK_SECRET_PREVIOUS", "EMAIL_WEBHOOK_SECRET"],
];

/** Those that `false` turns off. */
const SWITCHES: readonly VariableName[] = ["KAFKA_SSL", "OIDC_ONLY"];

function missingProblems(raw: RawVariables): ConfigProblem[] {
  const isOn = (name: VariableName): boolean =>
    raw[name] !== undefined &&
    (!SWITCHES.includes(name) || flag().safeParse(raw[name]).data === true);
  return NEEDS.flatMap(([name, ...needs]) => {
    const missing = isOn(name) ? needs.filter((each) => !isOn(each)) : [];
    return missing.map((each) => ({ variable: each, message: `is required with ${name}` }));
  });
}

function problemsIn(error: z.ZodError | undefined): ConfigProblem[] {
  return (error?.issues ?? []).map(({ path, message }) => ({ variable: String(path[0]), message }));
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError where a file of a secret cannot be read, or the secret itself is set as well */
function rawVariables(env: Environment): RawVariables {
  const all = withSecretsOfFiles(env);
  const entries = VARIABLE_NAMES.map((name) => [name, all[name]] as const);
  // A secret of blanks is weak, not absent: its owner must not get another one unawares.
  const isSet = (name: string, value = ""): boolean =>
    name === "JWT_SECRET" ? value !== "" : value.trim() !== "";
  return Object.fromEntries(entries.filter(([name, value]) => isSet(name, value)));
}

/** A file's last line break, which editors add, is no part of the secret. */
function withSecretsOfFiles(env: Environment): Environment {
  const named = SECRETS.flatMap((name) => {
    const path = env[`${name}_FILE`]?.trim();
    return path ? [{ name, path }] : [];
  });
  const problems: ConfigProblem[] = [];
  const secrets = named.map(({ name, path }) => {
    const variable = `${name}_FILE`;
    if (env[name]) problems.push({ variable, message: `is set, and so is ${name}: set one` });
    try {
      return [name, readFileSync(path, "utf8").replace(/\r?\n$/, "")] as const;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
      problems.push({ variable, message: `names a file that cannot be read${code}` });
      return [name, undefined] as const;
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...env, ...Object.fromEntries(secrets) };
}

function readVariables(raw: RawVariables): Variables {
  const result = Variables.safeParse(raw);
  const createAdmin = flag().safeParse(raw.CREATE_ADMIN_USER).data === true;
  // An unreadable ROLES may have included the gateway.
  const isGateway = Variables.shape.ROLES.safeParse(raw.ROLES).data?.has("gateway") ?? true;
  const problems = [
    ...problemsIn(result.error),
    ...databaseProblems(raw, isGateway),
    ...adminProblems(raw, createAdmin),
    ...missingProblems(raw),
  ];
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  return result.data;
}
