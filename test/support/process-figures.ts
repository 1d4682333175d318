import { readdir, readFile, writeFile } from "node:fs/promises";

/** Writing it to clear_refs sets a process's peak to what it holds now (proc(5)). */
const RESET_PEAK = "5";

/** Peak resident memory of a process while `work` runs, MiB, and what that gave. Linux only. */
export async function peakMemoryOf<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<[mib: number, result: T]> {
  await writeFile(`/proc/${pid}/clear_refs`, RESET_PEAK);
  const result = await work();
  return [await statusOf(pid, "VmHWM"), result];
}

/** Resident memory of a process, MiB. Linux only. */
export async function memoryOf(pid: number): Promise<number> {
  return statusOf(pid, "VmRSS");
}

/** A line of the process's status (proc(5)), MiB. */
async function statusOf(pid: number, name: "VmHWM" | "VmRSS"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}

/** Of the kernel's times, on every machine that Node runs on (proc(5)). */
const TICK_MS = 10;

/** Processor time of a process with all its threads, milliseconds in steps of 10. Linux only. */
export async function processorTimeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The second field is a name in parentheses, which may have spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return TICK_MS * (Number(fields[11]) + Number(fields[12]));
}

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
