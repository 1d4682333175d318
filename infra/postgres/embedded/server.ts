/** The cluster's server: starts, stops, and is found again. */

import { readFile, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { memoryLimit } from "../../process/memory.ts";
import type { Cluster } from "./cluster.ts";

/** Passed at every start, so that older clusters get them. Durability stays at the safe default. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // All roles in one process hold up to 159, and two more for each processor.
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
export const START_TIMEOUT_SECONDS = 600;
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
export async function serverLogTail(cluster: Cluster): Promise<string> {
  const text = await readFile(logFile(cluster), "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-5).join("\n");
}

/** Keeps one older log, so that both stay small over years. */
export async function rotateServerLog(cluster: Cluster): Promise<void> {
  await rename(logFile(cluster), `${logFile(cluster)}.old`).catch(() => undefined);
}

/** Process id and port that a running, starting or stopping server has written into its cluster. */
export type Postmaster = { readonly pid: number; readonly port: number };

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
export async function findPostmaster(
  { clusterDir }: Pick<Cluster, "clusterDir">,
  onCopied: (folder: string) => void = () => {},
): Promise<Postmaster | null> {
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
export async function isSameFolder(one: string, other: string): Promise<boolean> {
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
