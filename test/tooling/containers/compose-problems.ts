import { PROCESS_ROLES, VARIABLE_NAMES, Variables } from "#infra/config/variables.ts";
import {
  type ComposeFile,
  type ComposeService,
  interpolated,
  parseComposeFile,
  referencesIn,
} from "./compose-file.ts";
import { confinementProblems } from "./confinement-problems.ts";

/** What has no default and must not have one in the file. */
const SECRETS: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: "letters4ndDigits",
  POSTGRES_SUPERUSER_PASSWORD: "others5",
  NATS_PASSWORD: "digits6",
  JWT_SECRET: "a secret of the tests alone, 32 long",
  PUBLIC_BASE_URL: "https://quakes.example.org",
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
  const unknown = Object.keys(environment).filter((variable) => !known.includes(variable));
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
