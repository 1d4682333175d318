import { access, mkdir, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Client } from "pg";
import { keptSecret } from "#infra/kernel/kept-secret.ts";
import type { Logger } from "#infra/logging/logger.ts";
import { giveCluster, serverAccount } from "./embedded-account.ts";
import { findPostgresBinaries } from "./embedded-binaries.ts";
import {
  type Cluster,
  clusterVersion,
  makeCluster,
  removeUnfinishedClusters,
} from "./embedded-cluster.ts";
import { connectToServer, serverUrl } from "./embedded-connect.ts";
import { takeServiceLock } from "./embedded-lock.ts";
import { provision, SERVICE_DATABASE, SERVICE_ROLE } from "./embedded-provision.ts";
import { createRunner } from "./embedded-run.ts";
import { findPostmaster, killServer, stopServer } from "./embedded-server.ts";

/** Major version of the binaries in package.json; clusters of other versions cannot be opened. */
const POSTGRES_MAJOR = "18";

export type EmbeddedPostgres = {
  /** URL of the service's database with its own role, which may create databases. */
  readonly url: string;
  /** Aborts when the server, or the lock on this DATA_DIR, is lost for good. */
  readonly lost: AbortSignal;
  /** Stops the server; may be called again. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  readonly dataDir: string;
  readonly log: Logger;
  /** Aborts when the process is about to end; a server lost after that is not restarted. */
  readonly signal?: AbortSignal;
  /**
   * Called when this process becomes responsible for stopping the server: before starting it, or
   * when it has the lock.
   */
  readonly onOwned?: () => void;
};

/**
 * Not recursive: below a place where nothing can be created, such as /proc, the recursive form would
 * try for ever.
 */
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

async function openCluster(dataDir: string): Promise<Cluster> {
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
async function clusterPassword(cluster: Cluster): Promise<string> {
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

type Hold = { client: Client; port: number };

/** Connects and takes the service lock. @throws DataDirInUse */
async function takeHold(
  cluster: Cluster,
  password: string,
  port: number | null,
  options: EmbeddedOptions,
): Promise<Hold> {
  const hold = await connectToServer(cluster, password, port, options);
  // Without a listener, a connection error would end the process.
  hold.client.on("error", () => undefined);
  try {
    await takeServiceLock(hold.client, cluster.dataDir);
    options.onOwned?.();
    return hold;
  } catch (error) {
    await hold.client.end().catch(() => undefined);
    throw error;
  }
}

/**
 * Keeps the service lock while the service runs. When the connection breaks (PostgreSQL restarts
 * after a crash, or was killed), it starts the server again on the same port, so that the service's
 * pools find it, and takes the lock again; if that fails, `lost` aborts.
 */
function keepHold(
  first: Hold,
  retake: () => Promise<Hold>,
  { log, signal }: Pick<EmbeddedOptions, "log" | "signal">,
) {
  const lost = new AbortController();
  let stopping = false;
  let current = first.client;

  const watch = (client: Client): void => {
    current = client;
    client.once("end", () => {
      if (!stopping && !signal?.aborted) void recover();
    });
  };
  const recover = async (): Promise<void> => {
    log.error("connection to the embedded PostgreSQL lost, taking it up again");
    try {
      const hold = await retake();
      watch(hold.client);
      if (stopping) await hold.client.end();
    } catch (error) {
      log.fatal({ err: error }, "embedded PostgreSQL lost");
      lost.abort(error);
    }
  };
  watch(first.client);

  return {
    lost: lost.signal,
    /** Expects the connection to end from now on; the lock is kept until the server ends it. */
    letGo(): () => Promise<void> {
      stopping = true;
      return () => current.end().catch(() => undefined);
    },
  };
}

/**
 * Starts the service's own PostgreSQL on a free loopback port, with its cluster in
 * `dataDir/postgres` and a random password in `dataDir/postgres-password`. A server left running by
 * a killed service is adopted, a crashed one recovers.
 * @throws DataDirInUse when another service works in `dataDir`
 * @see infra/decisions/0002-embedded-postgresql.md
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(options.dataDir);
  const password = await clusterPassword(cluster);
  await makeCluster(cluster, password);
  const hold = await takeHold(cluster, password, null, options);
  const { port } = hold;
  const keeper = keepHold(hold, () => takeHold(cluster, password, port, options), options);

  const stop = async (): Promise<void> => {
    // The lock is held until the server has stopped, so that no process adopts a stopping server.
    const release = keeper.letGo();
    if (await findPostmaster(cluster)) await stopServer(cluster);
    await release();
  };
  let stopped: Promise<void> | undefined;
  const stopOnce = (): Promise<void> => {
    stopped ??= stop();
    return stopped;
  };
  try {
    await removeUnfinishedClusters(cluster.dataDir);
    await provision(hold.client, password);
  } catch (error) {
    await stopOnce();
    throw error;
  }
  return {
    url: serverUrl(SERVICE_ROLE, password, port, SERVICE_DATABASE),
    lost: keeper.lost,
    stop: stopOnce,
  };
}

/** Ends the server of `dataDir` immediately; the next start recovers unfinished writes. */
export function killEmbeddedPostgres(dataDir: string): Promise<void> {
  return killServer({ clusterDir: join(resolve(dataDir), "postgres") });
}
