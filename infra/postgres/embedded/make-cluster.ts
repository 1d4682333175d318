import { chown, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServerAccount } from "./account.ts";
import { type Cluster, clusterVersion, REMOVAL, SUPERUSER, UNFINISHED_PREFIX } from "./cluster.ts";

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
