import { access, mkdir, readdir, readFile, realpath, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { keptSecret } from "#infra/kernel/kept-secret.ts";
import { giveCluster, type ServerAccount, serverAccount } from "./account.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./postgres-binaries.ts";
import { createRunner, type RunProgram } from "./programs.ts";

/** The cluster's superuser; the service itself uses an ordinary role. */
export const SUPERUSER = "postgres";

/** Major version of the binaries in package.json; clusters of other versions cannot be opened. */
const POSTGRES_MAJOR = "18";

export const UNFINISHED_PREFIX = "postgres-unfinished-";

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
export const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

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
