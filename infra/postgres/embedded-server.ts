import { readFile, rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "./embedded-cluster.ts";
import { worksIn } from "./embedded-place.ts";

/** What a running, starting or stopping server has written into its cluster. */
export type Postmaster = { readonly pid: number; readonly port: number };

/**
 * Settings given at every start, so that an older cluster gets today's. Durability (fsync,
 * synchronous_commit) stays at PostgreSQL's safe defaults.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  // Without what an error quotes of the rows that it is about: they may name people.
  log_error_verbosity: "terse",
};

/** Crash recovery replays at most max_wal_size and a bit, which a slow disk does in minutes. */
export const START_TIMEOUT_SECONDS = 300;
const STOP_TIMEOUT_SECONDS = 60;
const KILL_MS = 400;
const KILL_POLL_MS = 10;

function logFile(cluster: Cluster): string {
  return join(cluster.clusterDir, "server.log");
}

/** A port that was free a moment ago: whoever binds it must be ready to try another. */
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * After a reboot, or in a fresh container, the number of a dead server may be another program's,
 * and PostgreSQL would not start over it. True where that cannot be told (no /proc).
 */
async function isPostgres(pid: number): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => null);
  return name === null || name.trim() === "postgres";
}

/**
 * The server that holds the cluster; null when there is none, and a pid file is removed that is not of
 * one: that of a dead server, or one that was copied with the whole folder.
 * @param onCopied told of the folder that a running server works in whose pid file was copied
 * @throws OtherFolder when it cannot be told where the server works
 */
export async function findPostmaster(
  { clusterDir }: Pick<Cluster, "clusterDir">,
  onCopied: (folder: string) => void = () => {},
): Promise<Postmaster | null> {
  const path = join(clusterDir, "postmaster.pid");
  const text = await readFile(path, "utf8").catch(() => "");
  // Line 1 is the process, 2 its folder, 4 the port, written a moment later (PostgreSQL's pidfile.h).
  const [first, folder = "", , fourth] = text.split("\n");
  const pid = Number(first);
  if (!pid || !isAlive(pid)) return null;
  const isServer = await isPostgres(pid);
  if (isServer && (await worksIn(clusterDir, pid, folder))) return { pid, port: Number(fourth) };
  if (isServer) onCopied(folder);
  await rm(path, { force: true });
  return null;
}

function startOptions(port: number): string {
  const settings = Object.entries({ ...SETTINGS, port: String(port) });
  return settings.map(([name, value]) => `-c ${name}=${value}`).join(" ");
}

/**
 * Starts the server and waits until it accepts connections, crash recovery included.
 * @throws ProgramFailed also when another server holds the cluster or the port
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

/** Ends all connections, writes a checkpoint and waits until the server has gone. */
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

/**
 * Ends the server without a checkpoint (PostgreSQL's "immediate shutdown"), and waits a moment until it has
 * gone. One that is only just starting is ended as well.
 */
export async function killServer(cluster: Pick<Cluster, "clusterDir">): Promise<void> {
  const running = await findPostmaster(cluster);
  if (running === null) return;
  process.kill(running.pid, "SIGQUIT");
  for (let waited = 0; isAlive(running.pid) && waited < KILL_MS; waited += KILL_POLL_MS) {
    await delay(KILL_POLL_MS);
  }
}

/** The last lines of the server's own log: the reason of a failed start. */
export async function serverLogTail(cluster: Cluster): Promise<string> {
  const text = await readFile(logFile(cluster), "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-5).join("\n");
}

/** Keeps one older log, so that the two stay small over years of starts. */
export async function rotateServerLog(cluster: Cluster): Promise<void> {
  await rename(logFile(cluster), `${logFile(cluster)}.old`).catch(() => undefined);
}
