import { readdir, readFile, writeFile } from "node:fs/promises";

/** Writing it to clear_refs sets a process's peak to what it holds now (proc(5)). */
const RESET_PEAK = "5";

/** Peak resident memory of a process while `work` runs, MiB. Linux only. */
export async function peakMemoryOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  await writeFile(`/proc/${pid}/clear_refs`, RESET_PEAK);
  await work();
  return statusOf(pid, "VmHWM");
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

type ProcessTimes = { readonly parent: number; readonly own: number; readonly reaped: number };

/** Processor time of a process with all its threads, milliseconds in steps of 10. Linux only. */
export async function processorTimeOf(pid: number): Promise<number> {
  return (await timesOf(pid))?.own ?? Number.NaN;
}

/** That of a process with its children, living and dead. */
export async function familyTimeOf(pid: number): Promise<number> {
  const all = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const times = await Promise.all(all.map(async (one) => ({ one, times: await timesOf(one) })));
  let sum = 0;
  for (const { one, times: read } of times) {
    if (read === null) continue;
    if (one === pid) sum += read.own + read.reaped;
    if (read.parent === pid) sum += read.own;
  }
  return sum;
}

export async function parentOf(pid: number): Promise<number> {
  return (await timesOf(pid))?.parent ?? Number.NaN;
}

/** Null for a process that is gone. */
async function timesOf(pid: number): Promise<ProcessTimes | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  // The second field is a name in parentheses, which may have spaces.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, ofUsers = 0, ofSystem = 0] = fields.slice(11, 15);
  return {
    parent: fields[1] ?? Number.NaN,
    own: TICK_MS * (user + system),
    reaped: TICK_MS * (ofUsers + ofSystem),
  };
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
