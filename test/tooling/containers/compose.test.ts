import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  PROCESS_ROLES,
  SECRETS as SERVICE_SECRETS,
  VARIABLE_NAMES,
  Variables,
} from "#infra/config/variables.ts";
import {
  type ComposeFile,
  type ComposeService,
  interpolated,
  parseComposeFile,
  referencesIn,
} from "../../support/compose-file.ts";

const ROOT = new URL("../../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), "utf8");

/** What stands in the file, what may not stand there instead, and what is said of it. */
const FAULTS: readonly [what: string, from: string | RegExp, to: string, problem: string][] = [
  ["an unknown variable", "NATS_URL: nats", "NATS_ADDRESS: nats", "unknown variable: NATS_ADDRESS"],
  [
    "a role without settings",
    "  env_file:",
    "  ignored:",
    "gateway does not get the settings of .env",
  ],
  [
    "a setting that is not handed on",
    "DATA_DIR: /data\n",
    "DATA_DIR: /data\n  REGISTRATION: open\n",
    "gateway gets another REGISTRATION than .env says",
  ],
  [
    "a secret that every role gets",
    '  ADMIN_PASSWORD: ""\n',
    "",
    "projector may get ADMIN_PASSWORD",
  ],
  ["a value that is refused", "redpanda:9092\n", "redpanda\n", "KAFKA_BROKERS must be"],
  ["a capability", "cap_drop: [ALL]", "cap_drop: [NET_RAW]", "gateway keeps capabilities"],
  ["one that is added", "user: postgres", "cap_add: [CHOWN]", "postgres keeps capabilities"],
  ["privileges to be gained", '"no-new-privileges:true"', "", "nats can gain privileges"],
  ["an image to write to", "read_only: true", "read_only: false", "can write to its image"],
  ["no limit of memory", "mem_limit: 512m", "", "nats has no limit of memory"],
  ["no limit of processes", "pids_limit: 100", "", "nats has no limit of processes"],
  ["a temporary file system without limit", "/tmp:size=64m", "/tmp", "eventstore has no limit"],
  ["an open network of the stores", "internal: true", "internal: false", "is not internal"],
  [
    "an image without digest",
    /(bookworm)@sha256:\w+/,
    "$1",
    "postgres has an image without digest",
  ],
  [
    "a secret where it has no use",
    "ROLES: projector",
    `ROLES: projector
      JWT_SECRET: \${JWT_SECRET:?x}`,
    "JWT_SECRET is given to gateway, projector",
  ],
  [
    "a store that reaches outside",
    "pids_limit: 100\n    networks: [stores]",
    "pids_limit: 100\n    networks: [stores, outside]",
    "nats is on stores and outside",
  ],
  ["a wrong role", "ROLES: projector", "ROLES: projectors", "ROLES must be"],
  ["a role that nobody runs", "ROLES: notifier", "ROLES: publisher", "nobody runs notifier"],
  ["an image without a version", /postgres:18.1-bookworm@\w+:\w+/, "postgres:latest", "not pinned"],
  ["a secret with a default", "JWT_SECRET:?at least 32 characters", "JWT_SECRET:-x", "JWT_SECRET"],
  [
    "a missing health check",
    'healthcheck:\n      test: ["CMD", "wget"',
    'ignored:\n      test: ["CMD", "wget"',
    "nats has no health check",
  ],
  [
    "a need that is only started",
    "nats: { condition: service_healthy }",
    "nats: { condition: service_started }",
    "until nats is healthy",
  ],
  ["a volume that is not there", "- nats:/data", "- gnats:/data", "not declared: gnats"],
];

describe("docker-compose.yml", () => {
  test("docker-compose.yml gives every role a configuration that the service takes, and every service a health check", async () => {
    expect(composeProblems(await read("docker-compose.yml"))).toEqual([]);
  });

  test("docker-compose.yml has a database, an event store, two brokers and the four roles", async () => {
    const { services } = parseComposeFile(await read("docker-compose.yml"));
    expect(Object.keys(services).toSorted()).toEqual([
      ...["eventstore", "gateway", "nats", "notifier", "postgres", "projector", "publisher"],
      "redpanda",
    ]);
    expect(services["postgres"]?.image).toMatch(/^postgres:18\./);
    expect(services["eventstore"]?.image).toMatch(/:23\.10\./);
    for (const [name, { ports }] of Object.entries(services)) {
      expect(ports).toHaveLength(name === "gateway" ? 1 : 0);
    }
  });

  test("docker-compose.yml with a fault is found out", async () => {
    const text = await read("docker-compose.yml");
    for (const [what, from, to, problem] of FAULTS) {
      expect(text, what).toMatch(from);
      expect(composeProblems(text.replace(from, to)).join("\n"), what).toContain(problem);
    }
  });
});

const Package = z.object({
  engines: z.object({ node: z.string() }),
  devDependencies: z.object({ node: z.string() }),
});

describe("the image", () => {
  test("the image runs on the Node that the project is developed on, as .nvmrc and engines say", async () => {
    const { engines, devDependencies } = Package.parse(JSON.parse(await read("package.json")));
    const dockerfile = await read("infra/docker/Dockerfile");
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    const [base = "", ...others] = bases;
    expect(others).toEqual([base]);
    expect(base.split("@")[0]).toBe(`node:${devDependencies.node}-bookworm-slim`);
    expect(base).toMatch(/@sha256:[0-9a-f]{64}$/);
    const major = (await read(".nvmrc")).trim();
    expect(devDependencies.node.split(".")[0]).toBe(major);
    expect(engines.node).toBe(`>=${major}`);
  });

  test("the image copies only what is there and let in, and does not run as root", async () => {
    const dockerfile = await read("infra/docker/Dockerfile");
    const letIn = (await read(".dockerignore")).split("\n").filter((line) => line.startsWith("!"));
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, from = ""]) =>
      from.split(" "),
    );
    expect(copied.map((path) => `!${path}`).toSorted()).toEqual(
      [...letIn, "!package.json"].toSorted(),
    );
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });
});

/** What has no default and must not have one in the file. */
const SECRETS: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: "letters4ndDigits",
  POSTGRES_SUPERUSER_PASSWORD: "others5",
  NATS_PASSWORD: "digits6",
  JWT_SECRET: "a secret of the tests alone, 32 long",
  PUBLIC_BASE_URL: "https://quakes.example.org",
};

/** What the file itself says of every role, whatever stands in `.env`: where it runs and where its stores are. */
const SAID_HERE: readonly string[] = [
  ...["HOST", "PORT", "DATA_DIR", "ROLES", "DATABASE_URL", "NATS_URL", "KAFKA_BROKERS"],
  ...["KAFKA_SSL", "KAFKA_CA_FILE", "KAFKA_SASL_MECHANISM", "KAFKA_USERNAME", "KAFKA_PASSWORD"],
];

/** Whose use each is, of what the other roles must not have. */
const ROLES_WITH: Readonly<Record<string, readonly string[]>> = {
  JWT_SECRET: ["gateway"],
  JWT_SECRET_PREVIOUS: ["gateway"],
  CREATE_ADMIN_USER: ["gateway"],
  ADMIN_PASSWORD: ["gateway"],
  OIDC_CLIENT_SECRET: ["gateway"],
  EMAIL_WEBHOOK_SECRET: ["notifier"],
  EMAIL_WEBHOOK_SECRET_PREVIOUS: ["notifier"],
};

const PINNED = /:v?\d+\.\d+(\.\d+)?(-[\w.-]+)?(@sha256:[0-9a-f]{64})?$/;

/**
 * What is wrong with a compose file of this service, in sentences; none when it is right. Services
 * with `ROLES` are ours.
 */
function composeProblems(text: string): string[] {
  const file = parseComposeFile(text);
  const services = Object.entries(file.services);
  const ours = services.filter(([, { environment }]) => "ROLES" in environment);
  return [
    ...services.flatMap(([name, service]) => serviceProblems(name, service, file)),
    ...ours.flatMap(([name, { environment }]) => configurationProblems(name, environment)),
    ...ours.flatMap(([name, service]) => settingsProblems(name, service)),
    ...roleProblems(ours.map(([, { environment }]) => environment["ROLES"] ?? "")),
    ...secretProblems(text),
    ...confinementProblems(file),
  ];
}

function serviceProblems(name: string, service: ComposeService, file: ComposeFile): string[] {
  const { image, healthcheck, depends_on: needs, volumes } = service;
  const mounted = volumes.map((volume) => volume.split(":")[0] ?? "");
  return [
    ...(healthcheck ? [] : [`${name} has no health check`]),
    ...(PINNED.test(image) ? [] : [`${name} has an image that is not pinned: ${image}`]),
    ...Object.entries(needs)
      .filter(([other, { condition }]) => !file.services[other] || condition !== "service_healthy")
      .map(([other]) => `${name} does not wait until ${other} is healthy`),
    ...mounted
      .filter((volume) => !/^[./]/.test(volume) && !(volume in file.volumes))
      .map((volume) => `${name} mounts a volume that is not declared: ${volume}`),
  ];
}

/** Names and values of the environment against the schema that reads them at start-up. */
function configurationProblems(
  name: string,
  environment: Readonly<Record<string, string>>,
): string[] {
  const known: readonly string[] = VARIABLE_NAMES;
  // A secret of a store is set to nothing, so that it does not come by the file of settings.
  const given = Object.keys(environment).filter((variable) => environment[variable] !== "");
  const unknown = given.filter((variable) => !known.includes(variable));
  const values = Object.entries(environment)
    .map(([variable, value]) => [variable, interpolated(value, SECRETS)] as const)
    .filter(([, value]) => value !== "");
  const { error } = Variables.safeParse(Object.fromEntries(values));
  return [
    ...unknown.map((variable) => `${name} has an unknown variable: ${variable}`),
    ...(error?.issues ?? []).map(({ path, message }) => `${name}: ${String(path[0])} ${message}`),
    ...["DATABASE_URL", "PUBLIC_BASE_URL", ...(name === "gateway" ? ["JWT_SECRET"] : [])]
      .filter((variable) => !environment[variable])
      .map((variable) => `${name} lacks ${variable}`),
  ];
}

/** Every setting of `.env` reaches the roles that have a use for it, every secret these alone. */
function settingsProblems(name: string, { env_file, environment }: ComposeService): string[] {
  const reads = env_file.some(({ path, required }) => path === ".env" && !required);
  const isSame = (variable: string): boolean =>
    referencesIn(environment[variable] ?? "").some((reference) => reference.name === variable);
  return [
    ...(reads ? [] : [`${name} does not get the settings of .env`]),
    ...VARIABLE_NAMES.filter((variable) => !SAID_HERE.includes(variable)).flatMap((variable) => {
      const isForIt = ROLES_WITH[variable]?.includes(name) ?? true;
      if (!isForIt) return environment[variable] === "" ? [] : [`${name} may get ${variable}`];
      return !(variable in environment) || isSame(variable)
        ? []
        : [`${name} gets another ${variable} than .env says`];
    }),
    ...SERVICE_SECRETS.filter(
      (variable) => !SAID_HERE.includes(variable) && !(variable in environment),
    ).map(
      (variable) => `${name} gets ${variable} as .env has it, whether or not it has a use for it`,
    ),
  ];
}

function roleProblems(given: readonly string[]): string[] {
  const roles = given.flatMap((list) => list.split(","));
  return PROCESS_ROLES.filter((role) => !roles.includes(role)).map((role) => `nobody runs ${role}`);
}

/** Compose says which secret is missing instead of starting with an empty one. */
function secretProblems(text: string): string[] {
  const withoutComments = text.replaceAll(/^\s*#.*$/gm, "");
  return referencesIn(withoutComments)
    .filter(({ name, operator, rest }) => name in SECRETS && (operator !== ":?" || rest === ""))
    .map(({ name }) => `${name} is not required by \${${name}:?…}`);
}

/** Who is given each secret: whoever has a use for it, and nobody else. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  POSTGRES_PASSWORD: ["gateway", "notifier", "postgres", "projector", "publisher"],
  POSTGRES_SUPERUSER_PASSWORD: ["postgres"],
  NATS_PASSWORD: ["nats", "notifier", "publisher"],
  JWT_SECRET: ["gateway"],
  ADMIN_PASSWORD: ["gateway"],
  EMAIL_WEBHOOK_SECRET: ["notifier"],
};

/** Who speaks with somebody outside: users and the agency, the receiver of mails. */
const OUTSIDE: readonly string[] = ["gateway", "notifier"];
const STORES = "stores";

const BY_DIGEST = /@sha256:[0-9a-f]{64}$/;
/** No registry could be asked for their digest, and no public file told it. */
const WITHOUT_DIGEST: readonly string[] = ["eventstore"];

/** What the services of a compose file may do beyond what they need, in sentences. */
function confinementProblems(file: ComposeFile): string[] {
  const services = Object.entries(file.services);
  return [
    ...services.flatMap(([name, service]) => rightsOf(name, service)),
    ...services.flatMap(([name, service]) => limitsOf(name, service)),
    ...services.flatMap(([name, service]) => networksOf(name, service)),
    ...services.flatMap(([name, service]) => digestOf(name, service)),
    ...(file.networks[STORES]?.internal ? [] : ["the network of the stores is not internal"]),
    ...Object.entries(HOLDERS).flatMap(([secret, holders]) => holdersOf(file, secret, holders)),
  ];
}

function rightsOf(name: string, service: ComposeService): string[] {
  const { cap_add, cap_drop, security_opt, privileged, read_only, tmpfs } = service;
  return [
    ...(cap_drop.join() === "ALL" && cap_add.length === 0 ? [] : [`${name} keeps capabilities`]),
    ...(security_opt.includes("no-new-privileges:true") ? [] : [`${name} can gain privileges`]),
    ...(privileged ? [`${name} is privileged`] : []),
    ...(read_only && tmpfs.length > 0 ? [] : [`${name} can write to its image`]),
    ...tmpfs
      .filter((mount) => !/:size=\d+m/.test(mount))
      .map((mount) => `${name} has no limit for ${mount}`),
  ];
}

function limitsOf(name: string, { mem_limit, pids_limit }: ComposeService): string[] {
  return [
    ...(mem_limit === undefined ? [`${name} has no limit of memory`] : []),
    ...(pids_limit === undefined ? [`${name} has no limit of processes`] : []),
  ];
}

function networksOf(name: string, { networks }: ComposeService): string[] {
  const expected = OUTSIDE.includes(name) ? [STORES, "outside"] : [STORES];
  return networks.join() === expected.join() ? [] : [`${name} is on ${networks.join(" and ")}`];
}

/** What is built from the project has no digest before it is built. */
function digestOf(name: string, { image, build }: ComposeService): string[] {
  const hasDigest = BY_DIGEST.test(image);
  if (build || hasDigest !== WITHOUT_DIGEST.includes(name)) return [];
  return [hasDigest ? `${name} has a digest now` : `${name} has an image without digest: ${image}`];
}

function holdersOf(file: ComposeFile, secret: string, holders: readonly string[]): string[] {
  const given = Object.entries(file.services)
    .filter(([, { environment }]) =>
      Object.values(environment).some((value) =>
        referencesIn(value).some(({ name }) => name === secret),
      ),
    )
    .map(([name]) => name)
    .toSorted();
  return given.join() === holders.join() ? [] : [`${secret} is given to ${given.join(", ")}`];
}
