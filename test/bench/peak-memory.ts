import { readFile, writeFile } from "node:fs/promises";

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
