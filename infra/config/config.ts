import { MIB } from "#contracts/units.ts";
import { ConfigError, problemsIn, rawVariables, readVariables } from "./read-variables.ts";
import { Variables } from "./variables.ts";

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
    rateLimitWritePerMinute: variables.RATE_LIMIT_WRITE,
    rateLimitAuthPer15Minutes: variables.RATE_LIMIT_AUTH,
    /** Streams of changes open at once. */
    feedStreams: variables.FEED_STREAMS,
    corsOrigins: variables.CORS_ORIGINS,
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
