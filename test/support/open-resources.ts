/** What a process holds open, as Linux tells it in /proc. */
import { readdir, readFile, readlink } from "node:fs/promises";

/** A TCP connection of the process, by its two ports. */
type Connection = { readonly local: number; readonly remote: number };

export type OpenResources = {
  /** Of files; those without a name any more end in " (deleted)". */
  readonly files: readonly string[];
  readonly connections: readonly Connection[];
};

export async function openResources(pid: number | "self" = "self"): Promise<OpenResources> {
  const directory = `/proc/${pid}/fd`;
  const links = await Promise.all(
    (await readdir(directory)).map((fd) =>
      // One that is closed meanwhile, as that of the directory is.
      readlink(`${directory}/${fd}`).catch(() => ""),
    ),
  );
  const byInode = await connectionsByInode(pid);
  return {
    files: links.filter((link) => link.startsWith("/") && !link.startsWith("/dev/")),
    connections: links.flatMap((link) => {
      const connection = byInode.get(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? "");
      return connection === undefined ? [] : [connection];
    }),
  };
}

/** Temporary files of answers and uploads, whose names are gone from their directories at once. */
export function spoolsAmong({ files }: OpenResources): number {
  return files.filter((path) => path.includes("catalogue-spool-")).length;
}

/** The ports of clients that are connected to the port on which the process listens. */
export function clientsAt({ connections }: OpenResources, port: number): number[] {
  return connections.flatMap(({ local, remote }) =>
    local === port && remote !== 0 ? [remote] : [],
  );
}

/** The lines of `/proc/net/tcp` (proc(5)): number, local and remote address, …, the inode as tenth field. */
async function connectionsByInode(pid: number | "self"): Promise<Map<string, Connection>> {
  const found = new Map<string, Connection>();
  for (const table of ["tcp", "tcp6"]) {
    const text = await readFile(`/proc/${pid}/net/${table}`, "utf8").catch(() => "");
    for (const line of text.split("\n").slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [, local = "", remote = ""] = fields;
      found.set(fields[9] ?? "", { local: portOf(local), remote: portOf(remote) });
    }
  }
  return found;
}

const portOf = (address: string): number => Number.parseInt(address.split(":")[1] ?? "", 16);
