import { totalmem } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes that a process uses, and its limits. */
export type Memory = {
  readonly heap: number;
  readonly heapLimit: number;
  /** Resident memory; or heap and buffers if those are larger, since they may become resident. */
  readonly resident: number;
  readonly residentLimit: number;
};

export function readMemory(): Memory {
  const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics();
  const { rss, heapTotal, external } = process.memoryUsage();
  const resident = Math.max(rss, heapTotal + external);
  return { heap, heapLimit, resident, residentLimit: memoryLimit() };
}

/** The limit of the control group, if there is one, or the machine's memory. */
export function memoryLimit(): number {
  // Without a limit this is zero or more than any machine's memory.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** The memory of so large a body is given back before there is another one. */
export const VERY_LARGE_BYTES = 64 * 1024 ** 2;

const QUIET_MS = 10_000;
let collecting: NodeJS.Timeout | null = null;

/**
 * Call it when a large object is no longer needed: some time after the last call, 10 s if not said, this thread's
 * garbage is collected, which takes some 20 ms. V8 itself collects only when more is allocated, so a service
 * that is idle after a large body would keep its memory.
 */
export function giveMemoryBack(afterMs = QUIET_MS): void {
  if (collecting !== null) clearTimeout(collecting);
  collecting = setTimeout(collect, afterMs).unref();
}

/** Does at once what is still to be done, before another large object is made beside the last. */
export function giveMemoryBackNow(): void {
  if (collecting !== null) collect();
}

function collect(): void {
  if (collecting !== null) clearTimeout(collecting);
  collecting = null;
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/**
 * Makes V8 collect garbage after a heap has grown by two fifths; by default it waits for several
 * times the memory in use. Waiting for the double would save an import a tenth of its processor
 * time, but one of 1,000,000 events would peak above 400 MiB. Applies to the whole process.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=40");
}
