import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import type { Logger } from "#infra/logging/logger.ts";
import type { Cluster } from "./cluster.ts";
import { findPostmaster } from "./postmaster.ts";
import {
  freePort,
  rotateServerLog,
  START_TIMEOUT_SECONDS,
  serverLogTail,
  startServer,
} from "./server.ts";
import { tryConnect } from "./try-connect.ts";

/** After a bad shutdown, the server's shared memory is freed within a second or two. */
const START_ATTEMPTS = 5;
const RETRY_MS = 50;

export type ServerConnection = { readonly client: Client; readonly port: number };

type StartOptions = {
  readonly log: Logger;
  readonly signal?: AbortSignal;
  /** Called before a server is started. */
  readonly onOwned?: () => void;
};

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
 * A superuser's connection to the cluster's server; a running server is adopted, otherwise one is
 * started. Other processes may start or stop the same server at the same time.
 * @param fixedPort the port for a new server; null for any free one
 * @throws OtherFolder; Error when the server does not start or refuses the password; the signal's
 * reason
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
      // Even after the abort a running server is held, so that the caller can stop it.
      signal?.throwIfAborted();
      onOwned?.();
      const failure = await tryStart(cluster, fixedPort ?? (await freePort()), log);
      if (!failure) continue;
      // A failed start does not count if another process started the server first.
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

/** Another service uses the same DATA_DIR. */
export class DataDirInUse extends Error {
  override readonly name = "DataDirInUse";
  readonly dataDir: string;

  constructor(dataDir: string) {
    super(`Another service is using this DATA_DIR: ${dataDir}`);
    this.dataDir = dataDir;
  }
}

/** Any fixed number: advisory locks are per database, and this database has no other. */
const SERVICE_LOCK_KEY = 7_202_431;

/** PostgreSQL detects within this time that the lock's holder was killed. */
const RELEASE_MS = 1_500;

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    "select pg_try_advisory_lock($1) as locked",
    [SERVICE_LOCK_KEY],
  );
  return rows[0]?.locked === true;
}

/**
 * Takes the lock for the only service in `dataDir`; it is held until the connection ends.
 * @throws DataDirInUse
 */
export async function takeServiceLock(client: Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + RELEASE_MS;
  while (!(await tryLock(client))) {
    if (Date.now() >= deadline) throw new DataDirInUse(dataDir);
    await delay(RETRY_MS);
  }
}
