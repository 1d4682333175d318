import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import { worksIn } from "./place.ts";

/** Process id and port that a running, starting or stopping server has written into its cluster. */
export type Postmaster = { readonly pid: number; readonly port: number };

export function isAlive(pid: number): boolean {
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
