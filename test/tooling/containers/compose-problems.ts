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
  "HOST",
  "PORT",
  "DATA_DIR",
  "ROLES",
  "DATABASE_URL",
  "NATS_URL",
  "KAFKA_BROKERS",
  "KAFKA_SSL",
  "KAFKA_CA_FILE",
  "KAFKA_SASL_MECHANISM",
  "KAFKA_USERNAME",
  "KAFKA_PASSWORD",
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
export function composeProblems(text: string): string[] {
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
