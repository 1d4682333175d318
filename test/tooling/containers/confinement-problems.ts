import { type ComposeFile, type ComposeService, referencesIn } from "./compose-file.ts";

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
export function confinementProblems(file: ComposeFile): string[] {
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
