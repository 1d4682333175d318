import { totalmem } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes that a process has, against those that it may have. */
export type Memory = {
  readonly heap: number;
  readonly heapLimit: number;
  /** Resident; or heap and buffers, where those are more: they may become so. */
  readonly resident: number;
  readonly residentLimit: number;
};

export function readMemory(): Memory {
  const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics();
  const { rss, heapTotal, external } = process.memoryUsage();
  const resident = Math.max(rss, heapTotal + external);
  return { heap, heapLimit, resident, residentLimit: memoryLimit() };
}

/** Of the control group, where it has one, and of the machine. */
export function memoryLimit(): number {
  // Zero, or more than any machine has, where there is no limit.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

const QUIET_MS = 10_000;
let collecting: NodeJS.Timeout | null = null;

/**
 * To be called when something large is done with: 10 s after the last call the garbage of this thread is
 * collected, which takes some 20 ms. By itself V8 looks for garbage only when more is allocated, so a
 * service that has nothing to do after a large body would keep its memory.
 */
export function giveMemoryBack(): void {
  if (collecting === null) collecting = setTimeout(collect, QUIET_MS).unref();
  else collecting.refresh();
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}
