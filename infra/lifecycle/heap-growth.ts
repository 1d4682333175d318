import { setFlagsFromString } from "node:v8";

/**
 * Has V8 look for garbage once a heap has grown by a fifth, and keeps its nursery small; left to
 * itself it waits for several times what is in use. Measured while 200,000 events were imported:
 * 300 MiB resident instead of 435, for a tenth more of processor time. For all threads of the process.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=20");
  setFlagsFromString("--semi-space-growth-factor=1");
}
