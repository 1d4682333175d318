import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigError, loadConfig } from "#infra/config/config.ts";
import { SECRETS, VARIABLE_NAMES } from "#infra/config/variables.ts";
import { developmentSecret } from "#infra/postgres/embedded/cluster.ts";
import { secretForms } from "../support/secret-forms.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { testRows } from "../support/test-rows.ts";

const SECRET = "0123456789abcdef fedcba9876543210";
const SERVER = {
  DATABASE_URL: "postgresql://db.example.org/earthquakes",
  JWT_SECRET: SECRET,
  PUBLIC_BASE_URL: "https://quakes.example.org",
};
const ADMIN = {
  CREATE_ADMIN_USER: "true",
  ADMIN_EMAIL: "admin@example.org",
  ADMIN_PASSWORD: "twelve chars",
};

const VALUES: Readonly<Record<string, string>> = {
  DATABASE_URL: "postgresql://db.example.org/earthquakes",
  EVENTSTORE_URL: "esdb://log.example.org:2113?tls=false",
  NATS_URL: "nats://broker.example.org:4222",
};
/** All secrets that there can be at once, with what they need. */
const ALL_SECRETS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SECRETS.map((name) => [name, VALUES[name] ?? SECRET])),
  PUBLIC_BASE_URL: "https://quakes.example.org",
  EMAIL_WEBHOOK_URL: "https://mail.example.org",
  KAFKA_BROKERS: "broker.example.org:9092",
  KAFKA_SASL_MECHANISM: "plain",
  KAFKA_USERNAME: "earthquakes",
  OIDC_ISSUER: "https://sso.example.org",
  OIDC_CLIENT_ID: "earthquakes",
};

function problemsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ variable }) => variable);
  }
}

test("the configuration has the contract's defaults in an empty environment", () => {
  expect(loadConfig({})).toEqual({
    host: "127.0.0.1",
    port: 3000,
    dataDir: "./data",
    databaseUrl: null,
    eventStoreUrl: null,
    natsUrl: null,
    natsReplicas: 1,
    kafka: null,
    roles: new Set(["gateway", "projector", "notifier", "publisher"]),
    jwtSecret: null,
    previousJwtSecret: null,
    publicBaseUrl: "http://localhost:3000",
    sessionDays: 30,
    admin: null,
    registration: "open",
    openId: null,
    emailWebhook: null,
    fdsnCatalogue: null,
    feedStreams: 10_000,
    metrics: null,
    agencyUrl: "https://service.geonet.org.nz/fdsnws/event/1",
    agencyName: "GeoNet",
    agencyTimeoutMs: 30_000,
    agencyRetries: 3,
    agencyAddresses: { isOpen: false, ports: [80, 443] },
    alertAddresses: { isOpen: false, ports: [80, 443] },
    partsDir: "data/parts",
    rateLimitPartsPerMinute: 6_000,
    rateLimitReadPerMinute: 120,
    rateLimitClientsPerMinute: 600,
    rateLimitWritePerMinute: 60,
    rateLimitAuthPer15Minutes: 10,
    corsOrigins: [],
    keptBytes: 64 * 1024 * 1024,
    maxBodyBytes: 100 * 1024 * 1024,
    maxUploadBytes: 100 * 1024 * 1024,
    maxEventsPerRequest: 500_000,
    mapTiles: null,
    hasStyleguide: false,
    trustProxy: false,
    logLevel: "info",
  });
});

testRows(
  "the configuration reads variables",
  [
    [
      { HOST: "0.0.0.0", PORT: "8080" },
      { host: "0.0.0.0", port: 8080 },
    ],
    [{ PORT: "8080" }, { publicBaseUrl: "http://localhost:8080" }],
    [{ PORT: "" }, { port: 3000 }],
    [{ ROLES: "gateway, projector" }, { roles: new Set(["gateway", "projector"]) }],
    [{ ROLES: "notifier,notifier" }, { roles: new Set(["notifier"]) }],
    [SERVER, { databaseUrl: SERVER.DATABASE_URL, jwtSecret: SECRET }],
    [{ ...SERVER, JWT_SECRET: "", ROLES: "projector,notifier" }, { jwtSecret: null }],
    [
      { PUBLIC_BASE_URL: "https://a.example/quakes/" },
      { publicBaseUrl: "https://a.example/quakes" },
    ],
    [
      { CORS_ORIGINS: "https://a.example, http://localhost:5173" },
      { corsOrigins: ["https://a.example", "http://localhost:5173"] },
    ],
    [
      { ...SERVER, DATABASE_URL: "postgresql://u:p@a:1,b,[::1]:3/quakes?sslmode=disable" },
      { databaseUrl: "postgresql://u:p@a:1,b,[::1]:3/quakes?sslmode=disable" },
    ],
    [{ EVENTSTORE_URL: "esdb://h:2113?tls=false" }, { eventStoreUrl: "esdb://h:2113?tls=false" }],
    [{ NATS_URL: "nats://localhost:4222" }, { natsUrl: "nats://localhost:4222" }],
    [{ NATS_REPLICAS: "3" }, { natsReplicas: 3 }],
    [{ NATS_URL: "nats://a:1,b, nats://[::1]:3" }, { natsUrl: "nats://a:1,b, nats://[::1]:3" }],
    [{ NATS_URL: "tls://u:p,w@a,b,tls://u:p,w@c" }, { natsUrl: "tls://u:p,w@a,b,tls://u:p,w@c" }],
    [
      { KAFKA_BROKERS: "kafka-1.example:9092, 127.0.0.1:19092" },
      { kafka: { brokers: ["kafka-1.example:9092", "127.0.0.1:19092"], ssl: null, sasl: null } },
    ],
    [
      {
        KAFKA_BROKERS: "a:1",
        KAFKA_SSL: "true",
        KAFKA_CA_FILE: "/ca.pem",
        KAFKA_SASL_MECHANISM: "scram-sha-256",
        KAFKA_USERNAME: "u",
        KAFKA_PASSWORD: "p",
      },
      {
        kafka: {
          brokers: ["a:1"],
          ssl: { caFile: "/ca.pem" },
          sasl: { mechanism: "scram-sha-256", username: "u", password: "p" },
        },
      },
    ],
    [
      { KAFKA_BROKERS: "a:1", KAFKA_SSL: "on" },
      { kafka: { brokers: ["a:1"], ssl: { caFile: null }, sasl: null } },
    ],
    [
      { OIDC_ISSUER: "http://127.0.0.1:8080/realms/a/", OIDC_CLIENT_ID: "c" },
      {
        openId: {
          issuer: "http://127.0.0.1:8080/realms/a/",
          clientId: "c",
          clientSecret: null,
          groupsClaim: "groups",
          groupsOfRoles: null,
          only: null,
        },
      },
    ],
    [
      {
        OIDC_ISSUER: "https://sso.example.org",
        OIDC_CLIENT_ID: "c",
        OIDC_CLIENT_SECRET: "s",
        OIDC_GROUPS_CLAIM: "roles",
        OIDC_ROLES: "admin=it, editor=cn=staff,editor=analysts",
        OIDC_ONLY: "true",
        ADMIN_EMAIL: "a@example.org",
      },
      {
        openId: {
          issuer: "https://sso.example.org",
          clientId: "c",
          clientSecret: "s",
          groupsClaim: "roles",
          groupsOfRoles: { admin: ["it"], editor: ["cn=staff", "analysts"] },
          only: { exceptEmail: "a@example.org" },
        },
      },
    ],
    [
      {
        MAP_TILES_URL: "https://a.example:8443/{z}/{x}/{y}{r}.png?key=1",
        MAP_TILES_CREDIT: "© A",
      },
      { mapTiles: { url: "https://a.example:8443/{z}/{x}/{y}{r}.png?key=1", credit: "© A" } },
    ],
    [
      { MAP_TILES_URL: "http://localhost/{z}/{x}/{-y}.png" },
      { mapTiles: { url: "http://localhost/{z}/{x}/{-y}.png", credit: null } },
    ],
    [{ MAP_TILES_CREDIT: "© A" }, { mapTiles: null }],
    [{ TRUST_PROXY: "on" }, { trustProxy: true }],
    [{ TRUST_PROXY: "0" }, { trustProxy: false }],
    [{ RATE_LIMIT_READ: "0" }, { rateLimitReadPerMinute: 0 }],
    [{ AGENCY_TIMEOUT: "5" }, { agencyTimeoutMs: 5000 }],
    [
      { AGENCY_ALLOW_PRIVATE: "true", AGENCY_PORTS: "443, 8443" },
      { agencyAddresses: { isOpen: true, ports: [443, 8443] } },
    ],
    [{ MAX_BODY_MB: "1" }, { maxBodyBytes: 1_048_576 }],
    [
      { EMAIL_WEBHOOK_URL: "https://hook.example/x" },
      { emailWebhook: { url: "https://hook.example/x", secrets: [] } },
    ],
    [
      ADMIN,
      { admin: { email: "admin@example.org", password: "twelve chars", name: "Administrator" } },
    ],
    [{ CREATE_ADMIN_USER: "false", ADMIN_PASSWORD: "short" }, { admin: null }],
  ],
  (env, expected) => {
    expect(loadConfig(env)).toMatchObject(expected);
  },
);

/** Values that each of these variables refuses, without a blank in any. */
const REFUSED: Readonly<Record<string, string>> = {
  PORT: "12abc -1 3000.5 0x10 65536",
  SESSION_DAYS: "0",
  RATE_LIMIT_AUTH: "10/min",
  MAX_BODY_MB: "1e3",
  ROLES: "gateway,importer ,",
  LOG_LEVEL: "loud",
  NATS_URL:
    "localhost:4222 nats://a:4222,, nats://a:4222,tls://b:4222 nats://u:p@a,nats://v:q@b " +
    "nats://u:p@a,u:p@b nats://u:%zz@a",
  NATS_REPLICAS: "2",
  KAFKA_BROKERS: "localhost localhost:0 kafka://localhost:9092 localhost:9092,[::1]:9092 ,",
  REGISTRATION: "invited",
  TRUST_PROXY: "maybe constructor",
  CORS_ORIGINS: "* https://a.example/path",
  AGENCY_URL: "ftp://agency.example http://name@agency.example http://:password@agency.example",
  EMAIL_WEBHOOK_URL: "file:///etc/passwd",
  PUBLIC_BASE_URL: "quakes.example.org https://a.example?x=1",
  MAP_TILES_URL:
    "/{z}/{x}/{y}.png https://a.example/tiles.png https://{s}.a.example/{z}/{x}/{y}.png " +
    "https://a.example/{s}/{z}/{x}/{y}.png https://{x}.example/{z}/{x}/{y}.png " +
    "https://a;script-src.example/{z}/{x}/{y}.png " +
    "https://me:secret@a.example/{z}/{x}/{y}.png",
  MAP_TILES_CREDIT: "\u202e",
  EVENTSTORE_URL: "http://h:2113 esdb://h:2113 esdb://h:2113?tls=false&constructor=x",
  CREATE_ADMIN_USER: "sure",
  AGENCY_PORTS: "0 80;443 65536 , http",
};

testRows<[Record<string, string>, string[]]>(
  "the configuration refuses by the variable's name",
  [
    ...Object.entries(REFUSED).flatMap(([name, values]) =>
      values
        .split(" ")
        .map((value): [Record<string, string>, string[]] => [{ [name]: value }, [name]]),
    ),
    [{ KAFKA_SSL: "true" }, ["KAFKA_BROKERS"]],
    [{ KAFKA_BROKERS: "a:1", KAFKA_CA_FILE: "/ca.pem" }, ["KAFKA_SSL"]],
    [{ KAFKA_BROKERS: "a:1", KAFKA_SSL: "false", KAFKA_CA_FILE: "/ca.pem" }, ["KAFKA_SSL"]],
    [{ KAFKA_BROKERS: "a:1", KAFKA_PASSWORD: "p" }, ["KAFKA_SASL_MECHANISM"]],
    [
      { KAFKA_BROKERS: "a:1", KAFKA_SASL_MECHANISM: "gssapi" },
      ["KAFKA_SASL_MECHANISM", "KAFKA_USERNAME", "KAFKA_PASSWORD"],
    ],
    [
      { KAFKA_BROKERS: "a:1", KAFKA_SASL_MECHANISM: "plain", KAFKA_USERNAME: "u" },
      ["KAFKA_PASSWORD"],
    ],
    [{ OIDC_ISSUER: "https://sso.example.org" }, ["OIDC_CLIENT_ID"]],
    [{ OIDC_CLIENT_ID: "c" }, ["OIDC_ISSUER"]],
    [{ OIDC_ONLY: "true" }, ["OIDC_ISSUER"]],
    [{ OIDC_ISSUER: "http://sso.example.org", OIDC_CLIENT_ID: "c" }, ["OIDC_ISSUER"]],
    [{ OIDC_ISSUER: "https://sso.example.org?a=b", OIDC_CLIENT_ID: "c" }, ["OIDC_ISSUER"]],
    [{ OIDC_ISSUER: "sso.example.org", OIDC_CLIENT_ID: "c" }, ["OIDC_ISSUER"]],
    ...["admin", "admin=", "owner=it", "admin=it,viewer=all", ","].map(
      (roles): [Record<string, string>, string[]] => [
        { OIDC_ISSUER: "https://sso.example.org", OIDC_CLIENT_ID: "c", OIDC_ROLES: roles },
        ["OIDC_ROLES"],
      ],
    ),
    [{ ...SERVER, DATABASE_URL: "mysql://db.example.org/x" }, ["DATABASE_URL"]],
    [{ ...SERVER, DATABASE_URL: "postgresql://a,,b/x" }, ["DATABASE_URL"]],
    [{ ...SERVER, DATABASE_URL: "postgresql://a:1,b:x/x" }, ["DATABASE_URL"]],
    [{ JWT_SECRET: "s".repeat(31) }, ["JWT_SECRET"]],
    [{ ...SERVER, JWT_SECRET: "" }, ["JWT_SECRET"]],
    [{ ...SERVER, PUBLIC_BASE_URL: "" }, ["PUBLIC_BASE_URL"]],
    [{ DATABASE_URL: SERVER.DATABASE_URL }, ["JWT_SECRET", "PUBLIC_BASE_URL"]],
    [{ ...ADMIN, ADMIN_PASSWORD: "" }, ["ADMIN_PASSWORD"]],
    [{ ...ADMIN, ADMIN_PASSWORD: "eleven char" }, ["ADMIN_PASSWORD"]],
    [{ ...ADMIN, ADMIN_EMAIL: "" }, ["ADMIN_EMAIL"]],
    [
      { PORT: "x", LOG_LEVEL: "x", ...ADMIN, ADMIN_PASSWORD: "x" },
      ["PORT", "LOG_LEVEL", "ADMIN_PASSWORD"],
    ],
  ],
  (env, variables) => {
    expect(problemsOf(env)).toEqual(variables);
  },
);

testRows(
  "the configuration refuses a JWT_SECRET that is weak by its name, and never shows it",
  [
    ["one character", "s".repeat(64)],
    ["blanks", " ".repeat(32)],
    ["a short text between blanks", `${" ".repeat(20)}a short secret${" ".repeat(20)}`],
    ["two characters", "ab".repeat(20)],
    ["a short text that is repeated", "passw0rd".repeat(5)],
    ["a short text that is repeated, with a blank behind", `${"passw0rd".repeat(5)} `],
    ["a short text that is repeated and cut off", "correct horse battery ".repeat(3).slice(0, 60)],
  ],
  (_, secret) => {
    for (const env of [{ JWT_SECRET: secret }, { ...SERVER, JWT_SECRET: secret }]) {
      expect(problemsOf(env)).toEqual(["JWT_SECRET"]);
      expect(() => loadConfig(env)).toThrow(/JWT_SECRET must /);
      expect(() => loadConfig(env)).not.toThrow(secret);
    }
  },
);

test("the configuration takes every JWT_SECRET of 32 random characters in hexadecimal or base64url", () => {
  const bytes = fc
    .uint8Array({ minLength: 24, maxLength: 64 })
    .filter((given) => new Set(given).size >= 20);
  fc.assert(
    fc.property(bytes, (given) => {
      const secrets = (["hex", "base64url"] as const).map((form) =>
        Buffer.from(given).toString(form),
      );
      for (const secret of secrets) expect(problemsOf({ JWT_SECRET: secret })).toEqual([]);
    }),
  );
});

testRows(
  "the configuration takes a secret from the file that its _FILE names",
  SECRETS,
  async (name) => {
    const path = join(await temporaryDirectory(), "secret");
    const value = name.endsWith("_URL") ? VALUES[name] : SECRET;
    await writeFile(path, `${value}\n`);
    const all: Record<string, string> = { ...ALL_SECRETS, ...ADMIN };
    const { [name]: _absent, ...others } = all;
    expect(loadConfig({ ...others, [`${name}_FILE`]: path })).toEqual(
      loadConfig({ ...others, [name]: value ?? "" }),
    );
    expect(problemsOf({ ...others, [name]: value ?? "", [`${name}_FILE`]: path })).toEqual([
      `${name}_FILE`,
    ]);
    expect(problemsOf({ ...others, [`${name}_FILE`]: `${path}.not` })).toEqual([`${name}_FILE`]);
  },
);

test("the configuration never shows a value in its error", () => {
  const value = fc.stringMatching(/^[a-z]{6}~[a-z]{1,9}$/);
  fc.assert(
    fc.property(fc.constantFrom(...VARIABLE_NAMES), value, (name, text) => {
      try {
        loadConfig({ ...ADMIN, ADMIN_PASSWORD: "", [name]: text });
      } catch (error) {
        expect(String(error)).not.toContain(text);
      }
    }),
  );
});

test("the configuration cannot be changed", () => {
  expect(Object.isFrozen(loadConfig({}))).toBe(true);
});

test(".env.example lists every variable, each under a line with its meaning, and no other", async () => {
  const text = await readFile(join(import.meta.dirname, "../../.env.example"), "utf8");
  const listed = [...text.matchAll(/^# \S.*\n([A-Z_]+)=/gm)].map((match) => match[1]);
  expect(listed).toEqual(VARIABLE_NAMES);
  expect(text.match(/^[A-Z_]+=/gm)).toHaveLength(VARIABLE_NAMES.length);
});

test(".env.example shows the defaults", async () => {
  const text = await readFile(join(import.meta.dirname, "../../.env.example"), "utf8");
  const shown = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map((match) => [match[1], match[2]]);
  expect(loadConfig(Object.fromEntries(shown))).toEqual(loadConfig({}));
});

test("the development secret is made once and kept with mode 0600", async () => {
  const dataDir = join(await temporaryDirectory(), "data");
  const secret = await developmentSecret(dataDir);
  expect(secret.length).toBeGreaterThanOrEqual(32);
  expect(await developmentSecret(dataDir)).toBe(secret);
  expect((await stat(join(dataDir, "jwt-secret"))).mode & 0o777).toBe(0o600);
});

test("starters at the same moment get the same secret and leave nothing else behind", async () => {
  const dataDir = await temporaryDirectory();
  const secrets = await Promise.all(Array.from({ length: 8 }, () => developmentSecret(dataDir)));
  expect(new Set(secrets).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(["jwt-secret"]);
});

test("a damaged secret is refused, not replaced", async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, "jwt-secret"), "short\n");
  await expect(developmentSecret(dataDir)).rejects.toThrow("shorter than 32 characters");
  expect(await readFile(join(dataDir, "jwt-secret"), "utf8")).toBe("short\n");
});

test("a secret is found in base64 of any text that it stands in", () => {
  const text = fc.string({ unit: "binary" });
  const secret = fc.string({ unit: "binary", minLength: 4 });
  fc.assert(
    fc.property(text, secret, text, (before, within, after) => {
      const whole = Buffer.from(`${before}${within.toWellFormed()}${after}`);
      for (const encoding of ["base64", "base64url"] as const) {
        const encoded = whole.toString(encoding);
        const forms = secretForms(within.toWellFormed());
        expect(forms.some((form) => encoded.includes(form))).toBe(true);
      }
    }),
  );
});
