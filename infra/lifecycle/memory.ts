import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

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
