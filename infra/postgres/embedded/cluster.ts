import {
  access,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { keptSecret } from "#infra/kernel/kept-secret.ts";
import { giveCluster, type ServerAccount, serverAccount } from "./account.ts";
import {
  createRunner,
  findPostgresBinaries,
  type PostgresBinaries,
  type RunProgram,
} from "./programs.ts";

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

/** A concurrent start may still write what this one removes. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

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
