import { join, resolve } from "node:path";
import { type Client, escapeIdentifier, escapeLiteral } from "pg";
import type { Logger } from "#infra/logging/logger.ts";
import { type Cluster, clusterPassword, openCluster, removeUnfinishedClusters } from "./cluster.ts";
import { connectToServer, type ServerConnection, takeServiceLock } from "./connect.ts";
import { makeCluster } from "./make-cluster.ts";
import { findPostmaster } from "./postmaster.ts";
import { killServer, stopServer } from "./server.ts";
import { serverUrl } from "./try-connect.ts";

export type EmbeddedPostgres = {
  /** URL of the service's database with its own role, which may create databases. */
  readonly url: string;
  /** Aborts when the server, or the lock on this DATA_DIR, is lost for good. */
  readonly lost: AbortSignal;
  /** Stops the server; may be called again. */
  stop(): Promise<void>;
};

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
  return { url: serviceUrl(password, port), lost: keeper.lost, stop: stopOnce };
}

/** Ends the server of `dataDir` immediately; the next start recovers unfinished writes. */
export function killEmbeddedPostgres(dataDir: string): Promise<void> {
  return killServer({ clusterDir: join(resolve(dataDir), "postgres") });
}

/** The service's own, ordinary role, and its database. */
const SERVICE_ROLE = "earthquakes";
const SERVICE_DATABASE = "earthquakes";

/** The URL of the service's database on this machine. */
export function serviceUrl(password: string, port: number): string {
  return serverUrl(SERVICE_ROLE, password, port, SERVICE_DATABASE);
}

async function exists(client: Client, query: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(query, [name]);
  return rowCount === 1;
}

/**
 * Creates the service's role, no superuser, which cannot reach the file system, and its database.
 */
async function provision(client: Client, password: string): Promise<void> {
  const role = escapeIdentifier(SERVICE_ROLE);
  if (!(await exists(client, "select from pg_roles where rolname = $1", SERVICE_ROLE))) {
    await client.query(
      `create role ${role} login createdb password ${escapeLiteral(password)} in role pg_monitor`,
    );
  }
  if (!(await exists(client, "select from pg_database where datname = $1", SERVICE_DATABASE))) {
    await client.query(`create database ${escapeIdentifier(SERVICE_DATABASE)} owner ${role}`);
  }
}

type EmbeddedOptions = {
  readonly dataDir: string;
  readonly log: Logger;
  /** Aborts when the process is about to end; a server lost after that is not restarted. */
  readonly signal?: AbortSignal;
  /** Called before this process starts the server, or when it has the lock: it then stops it, too. */
  readonly onOwned?: () => void;
};

/** Connects and takes the service lock. @throws DataDirInUse */
async function takeHold(
  cluster: Cluster,
  password: string,
  port: number | null,
  options: EmbeddedOptions,
): Promise<ServerConnection> {
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
  first: ServerConnection,
  retake: () => Promise<ServerConnection>,
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
