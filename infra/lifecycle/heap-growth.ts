import { setFlagsFromString } from "node:v8";

/**
 * Has V8 look for garbage once a heap has grown by half; left to itself it waits for several times
 * what is in use. Measured while 50,000 events with picks were imported: 340 MiB at the peak instead
 * of 413, in the same time. (A fifth instead of a half gave 292 MiB and took a fifth longer.) For all
 * threads of the process.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=50");
}
