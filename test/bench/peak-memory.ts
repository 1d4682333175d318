import { readFile, writeFile } from "node:fs/promises";

/** Writing it to clear_refs sets a process's peak to what it holds now (proc(5)). */
const RESET_PEAK = "5";

/** Peak resident memory of a process while `work` runs, MiB. Linux only. */
export async function peakMemoryOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  await writeFile(`/proc/${pid}/clear_refs`, RESET_PEAK);
  await work();
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
