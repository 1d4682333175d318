import { setTimeout as delay } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import type { Logger } from "#infra/logging/logger.ts";
import { type Cluster, SUPERUSER } from "./embedded-cluster.ts";
import { isSameFolder, OtherFolder } from "./embedded-place.ts";
import {
  findPostmaster,
  freePort,
  rotateServerLog,
  START_TIMEOUT_SECONDS,
  serverLogTail,
  startServer,
} from "./embedded-server.ts";

/** The database every cluster has; ours may not be there yet. */
const MAINTENANCE_DATABASE = "postgres";

/** A server that is shut down badly a moment ago frees its shared memory within a second or two. */
const START_ATTEMPTS = 5;
const RETRY_MS = 50;

export type ServerConnection = { readonly client: Client; readonly port: number };

type StartOptions = {
  readonly log: Logger;
  readonly signal?: AbortSignal;
  /** Told before a server is started. */
  readonly onOwned?: () => void;
};

export function serverUrl(user: string, password: string, port: number, database: string): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
}

/** SQLSTATE 57P01 to 57P03: going down, crashed, coming up. 53300: all connections taken. */
const TRANSIENT_STATES = new Set(["57P01", "57P02", "57P03", "53300"]);

/** True for an answer that a server gives while it starts or stops. */
function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return TRANSIENT_STATES.has(error.code ?? "");
  return error instanceof Error && !(error instanceof OtherFolder);
}

/** @throws OtherFolder when the server has another cluster than `clusterDir` */
async function tryConnect(
  clusterDir: string,
  password: string,
  port: number,
): Promise<Client | null> {
  const client = new Client({
    connectionString: serverUrl(SUPERUSER, password, port, MAINTENANCE_DATABASE),
    application_name: "earthquakes service lock",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  try {
    await client.connect();
    await requireCluster(client, clusterDir);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    if (isTransient(error)) return null;
    throw error;
  }
}

/** A folder that was moved while its server runs has no longer the name that the server knows. */
async function requireCluster(client: Client, clusterDir: string): Promise<void> {
  const { rows } = await client.query<{ folder: string }>(
    "select current_setting('data_directory') as folder",
  );
  const folder = rows[0]?.folder ?? "";
  if (!(await isSameFolder(folder, clusterDir).catch(() => true))) {
    throw new OtherFolder(clusterDir, folder);
  }
}

async function tryStart(cluster: Cluster, port: number, log: Logger): Promise<unknown> {
  try {
    await rotateServerLog(cluster);
    await startServer(cluster, port);
    log.info({ port }, "embedded PostgreSQL started");
    return null;
  } catch (error) {
    return error;
  }
}

/**
 * A superuser's connection to the cluster's server, which is adopted where it runs and started
 * where it does not. Others may be starting or stopping the same server at the same time.
 * @param fixedPort the port to start on; any free one when null
 * @throws OtherFolder; Error when the server does not start, or does not take the password; the signal's reason
 */
export async function connectToServer(
  cluster: Cluster,
  password: string,
  fixedPort: number | null,
  { log, signal, onOwned }: StartOptions,
): Promise<ServerConnection> {
  const deadline = Date.now() + START_TIMEOUT_SECONDS * 1000;
  for (let failures = 0; Date.now() < deadline; ) {
    const running = await findPostmaster(cluster, (folder) => {
      log.warn({ folder }, "DATA_DIR is a copy of another, whose PostgreSQL runs: it gets its own");
    });
    const client = running?.port
      ? await tryConnect(cluster.clusterDir, password, running.port)
      : null;
    if (running && client) return { client, port: running.port };
    if (!running) {
      // One that runs already is connected to all the same: who has it can stop it.
      signal?.throwIfAborted();
      onOwned?.();
      const failure = await tryStart(cluster, fixedPort ?? (await freePort()), log);
      if (!failure) continue;
      // A start that fails because another one came first is no failure.
      if (!(await findPostmaster(cluster))) failures += 1;
      if (failures === START_ATTEMPTS) {
        throw new Error(`PostgreSQL does not start: ${await serverLogTail(cluster)}`, {
          cause: failure,
        });
      }
    }
    await delay(RETRY_MS * 2 ** failures);
  }
  throw new Error(`PostgreSQL was not ready within ${START_TIMEOUT_SECONDS} s`);
}
