import { readdir, readFile } from "node:fs/promises";

/**
 * Stops all processes of a PostgreSQL server as SIGSTOP does: its connections stay open, and nothing
 * answers on them.
 * @param postmaster process number of the server
 * @returns lets it go on
 */
export async function freezeServer(postmaster: number): Promise<() => void> {
  // The parent first: it starts no further ones then.
  process.kill(postmaster, "SIGSTOP");
  const children = await childrenOf(postmaster);
  for (const pid of children) process.kill(pid, "SIGSTOP");
  return () => {
    for (const pid of [...children, postmaster]) process.kill(pid, "SIGCONT");
  };
}

async function childrenOf(parent: number): Promise<number[]> {
  const children: number[] = [];
  for (const name of await readdir("/proc")) {
    const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
    if (/^PPid:\t(\d+)$/m.exec(status)?.[1] === String(parent)) children.push(Number(name));
  }
  return children;
}
