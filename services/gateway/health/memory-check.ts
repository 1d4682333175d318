import { type Memory, readMemory } from "#infra/lifecycle/memory.ts";
import type { Check } from "./readiness.ts";

const MIB = 1024 * 1024;
/** Above this share the process is likely to run out of memory. */
const UNHEALTHY_SHARE = 0.9;

/**
 * Compares the heap with its limit, and resident memory with that of the control group or the
 * machine.
 */
export function memoryCheck(read: () => Memory = readMemory): Check {
  return async () => {
    const { heap, heapLimit, resident, residentLimit } = read();
    const isFull = heap > UNHEALTHY_SHARE * heapLimit || resident > UNHEALTHY_SHARE * residentLimit;
    const parts = [`Heap ${share(heap, heapLimit)}`, `resident ${share(resident, residentLimit)}`];
    return { status: isFull ? "unhealthy" : "healthy", message: parts.join(", ") };
  };
}

function share(used: number, limit: number): string {
  const percent = Math.round((100 * used) / limit);
  return `${Math.round(used / MIB)} MB of ${Math.round(limit / MIB)} MB (${percent}%)`;
}
