import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/**
 * What stands before a command to give it, and what it starts, a disk of their own at `path`: nobody
 * else sees it, and it is gone with them. It takes a user who may mount.
 */
export function withSmallDisk(path: string, mebibytes: number): string[] {
  const mount = `mount -t tmpfs -o size=${mebibytes}m,mode=755 tmpfs "${path}" && exec "$@"`;
  return ["unshare", "--mount", "sh", "-c", mount, "sh"];
}

export function mayMount(path: string): boolean {
  const [program = "", ...args] = [...withSmallDisk(path, 1), "true"];
  return spawnSync(program, args).status === 0;
}

/** Fills the disk that a process sees at `path`; resolves with what makes room again. */
export async function fillDisk(pid: number, path: string): Promise<() => Promise<void>> {
  const file = join("/proc", `${pid}`, "root", path, "filling");
  await pipeline(zeros, createWriteStream(file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOSPC") throw error;
  });
  return () => rm(file);
}

function* zeros(): Generator<Buffer> {
  const piece = Buffer.alloc(4096);
  while (true) yield piece;
}
