import { chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServerAccount } from "./embedded-account.ts";
import type { PostgresBinaries } from "./embedded-binaries.ts";
import type { RunProgram } from "./embedded-run.ts";

/** The cluster's superuser; the service itself uses an ordinary role. */
export const SUPERUSER = "postgres";

const UNFINISHED_PREFIX = "postgres-unfinished-";

export type Cluster = {
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly account: ServerAccount;
  readonly binaries: PostgresBinaries;
  readonly run: RunProgram;
};

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

/**
 * Creates a missing cluster under a temporary name and renames it when complete. An interrupted
 * start leaves no partial cluster, and of two concurrent starts one wins.
 */
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
