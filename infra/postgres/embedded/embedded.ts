import { readFile, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client, DatabaseError, escapeIdentifier, escapeLiteral } from "pg";
import type { Logger } from "../../process/logger.ts";
import { memoryLimit } from "../../process/memory.ts";
import {
  type Cluster,
  clusterPassword,
  clusterVersion,
  makeCluster,
  openCluster,
  removeUnfinishedClusters,
  SUPERUSER,
} from "./cluster.ts";

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

/** There is no database to open. */
class NoDatabase extends Error {
  override readonly name = "NoDatabase";
}

/**
 * Opens the embedded database of `dataDir` for a command outside the service. A running server is
 * used with the password stored beside the cluster; otherwise one is started for the duration of the
 * visit, and no service can start meanwhile.
 * @throws NoDatabase when the service has never run in `dataDir`; DataDirInUse
 */
export async function visitEmbeddedPostgres(dataDir: string, log: Logger) {
  const clusterDir = join(dataDir, "postgres");
  if ((await clusterVersion(clusterDir)) === null) {
    throw new NoDatabase(`There is no database in DATA_DIR: ${dataDir}`);
  }
  const running = await findPostmaster({ clusterDir });
  if (!running?.port) {
    const server = await startEmbeddedPostgres({ dataDir, log });
    return { url: server.url, leave: server.stop };
  }
  const password = (await readFile(join(dataDir, "postgres-password"), "utf8")).trim();
  const url = serviceUrl(password, running.port);
  return { url, leave: async () => undefined };
}

/** After a bad shutdown, the server's shared memory is freed within a second or two. */
const START_ATTEMPTS = 5;
const RETRY_MS = 50;

type ServerConnection = { readonly client: Client; readonly port: number };

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
async function connectToServer(
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
async function takeServiceLock(client: Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + RELEASE_MS;
  while (!(await tryLock(client))) {
    if (Date.now() >= deadline) throw new DataDirInUse(dataDir);
    await delay(RETRY_MS);
  }
}

/** A database that every cluster has; the service's own may not exist yet. */
const MAINTENANCE_DATABASE = "postgres";

function serverUrl(user: string, password: string, port: number, database: string): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
}

/** SQLSTATE 57P01 to 57P03: shutting down, crashed, starting up. 53300: too many connections. */
const TRANSIENT_STATES = new Set(["57P01", "57P02", "57P03", "53300"]);

/** True for errors of a server that is starting or stopping. */
function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return TRANSIENT_STATES.has(error.code ?? "");
  return error instanceof Error && !(error instanceof OtherFolder);
}

/** @throws OtherFolder when the server's cluster is not `clusterDir` */
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

/** After a folder was moved while its server runs, the server knows it by the old name. */
async function requireCluster(client: Client, clusterDir: string): Promise<void> {
  const { rows } = await client.query<{ folder: string }>(
    "select current_setting('data_directory') as folder",
  );
  const folder = rows[0]?.folder ?? "";
  if (!(await isSameFolder(folder, clusterDir).catch(() => true))) {
    throw new OtherFolder(clusterDir, folder);
  }
}

/** The cluster's server: starts, stops, and is found again. */

/** Passed at every start, so that older clusters get them. Durability stays at the safe default. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // All roles in one process hold up to 164, and two more for each processor.
  max_connections: "250",
  shared_buffers: `${sharedBuffersMegabytes()}MB`,
  max_wal_size: "4GB",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  // Leaves out row values quoted in errors, which may name people.
  log_error_verbosity: "terse",
};

/** Crash recovery replays little more than max_wal_size, within minutes on a slow disk. */
const START_TIMEOUT_SECONDS = 600;
const STOP_TIMEOUT_SECONDS = 60;
const KILL_MS = 400;
const KILL_POLL_MS = 10;

/** An eighth of the memory, 128 MB to 4 GB; 4 GB hold the indexes of a catalogue of ten million events. */
function sharedBuffersMegabytes(): number {
  return Math.min(4096, Math.max(128, Math.floor(memoryLimit() / 8 / 2 ** 20)));
}

function logFile(cluster: Cluster): string {
  return join(cluster.clusterDir, "server.log");
}

/** A port that was free a moment ago; its user must be ready to try another. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

function startOptions(port: number): string {
  const settings = Object.entries({ ...SETTINGS, port: String(port) });
  return settings.map(([name, value]) => `-c ${name}=${value}`).join(" ");
}

/**
 * Starts the server and waits until it accepts connections, including crash recovery.
 * @throws ProgramFailed, also when another server holds the cluster or the port
 */
export async function startServer(cluster: Cluster, port: number): Promise<void> {
  await cluster.run(cluster.binaries.pg_ctl, [
    "start",
    "--wait",
    `--timeout=${START_TIMEOUT_SECONDS}`,
    "--silent",
    `--pgdata=${cluster.clusterDir}`,
    `--log=${logFile(cluster)}`,
    `--options=${startOptions(port)}`,
  ]);
}

/** Ends all connections, writes a checkpoint and waits for the server's exit. */
export async function stopServer(cluster: Cluster): Promise<void> {
  await cluster.run(cluster.binaries.pg_ctl, [
    "stop",
    "--mode=fast",
    "--wait",
    `--timeout=${STOP_TIMEOUT_SECONDS}`,
    "--silent",
    `--pgdata=${cluster.clusterDir}`,
  ]);
}

/** PostgreSQL's "immediate shutdown", without a checkpoint; works on a starting server too. */
export async function killServer(cluster: Pick<Cluster, "clusterDir">): Promise<void> {
  const running = await findPostmaster(cluster);
  if (running === null) return;
  process.kill(running.pid, "SIGQUIT");
  for (let waited = 0; isAlive(running.pid) && waited < KILL_MS; waited += KILL_POLL_MS) {
    await delay(KILL_POLL_MS);
  }
}

/** The last lines of the server's own log, with the reason of a failed start. */
async function serverLogTail(cluster: Cluster): Promise<string> {
  const text = await readFile(logFile(cluster), "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-5).join("\n");
}

/** Keeps one older log, so that both stay small over years. */
async function rotateServerLog(cluster: Cluster): Promise<void> {
  await rename(logFile(cluster), `${logFile(cluster)}.old`).catch(() => undefined);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A dead server's process id may be another program's after a reboot. True without /proc. */
async function isPostgres(pid: number): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => null);
  return name === null || name.trim() === "postgres";
}

/**
 * The server that holds the cluster, or null. A stale pid file, of a dead server or copied with its
 * folder, is removed.
 * @param onCopied called with the original folder when the pid file was copied and its server is
 * running
 * @throws OtherFolder when it is unknown where the server works
 */
async function findPostmaster(
  { clusterDir }: Pick<Cluster, "clusterDir">,
  onCopied: (folder: string) => void = () => {},
) {
  const path = join(clusterDir, "postmaster.pid");
  const text = await readFile(path, "utf8").catch(() => "");
  // Line 1 is the process id, 2 its folder, 4 the port, which is written a moment later
  // (PostgreSQL's pidfile.h).
  const [first, folder = "", , fourth] = text.split("\n");
  const pid = Number(first);
  if (!pid || !isAlive(pid)) return null;
  const isServer = await isPostgres(pid);
  if (isServer && (await worksIn(clusterDir, pid, folder))) return { pid, port: Number(fourth) };
  if (isServer) onCopied(folder);
  await rm(path, { force: true });
  return null;
}

/** The DATA_DIR is a copy: its files name a PostgreSQL that runs in the original. */
export class OtherFolder extends Error {
  override readonly name = "OtherFolder";

  constructor(own: string, other: string) {
    super(
      `PostgreSQL runs in ${other}, not in ${own}: stop it, or remove postmaster.pid from a copy`,
    );
  }
}

/** Whether two paths lead to one folder. @throws the system's error when one is not accessible */
async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path, { bigint: true })));
  return a?.dev === b?.dev && a?.ino === b?.ino;
}

/**
 * Whether the server with this process id works in `clusterDir`: PostgreSQL's working directory is
 * its cluster. Where the working directory is not visible, the folder in the pid file decides.
 * @param written the folder named in the pid file
 * @throws OtherFolder when the answer is unknown
 */
export async function worksIn(clusterDir: string, pid: number, written: string): Promise<boolean> {
  for (const path of [`/proc/${pid}/cwd`, written]) {
    const isSame = await isSameFolder(path, clusterDir).catch(() => null);
    if (isSame !== null) return isSame;
  }
  throw new OtherFolder(clusterDir, written);
}
