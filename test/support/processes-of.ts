import { readdir, readFile } from "node:fs/promises";

/** The command lines of running processes that name a directory: of the PostgreSQL that works in it. */
export async function processesOf(directory: string): Promise<string[]> {
  const lines: string[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (line.includes(directory)) lines.push(line.replaceAll("\0", " ").trim());
  }
  return lines;
}
