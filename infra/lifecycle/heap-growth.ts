import { setFlagsFromString } from "node:v8";

/**
 * Has V8 look for garbage once a heap has doubled; left to itself it waits for several times what is in
 * use. A half instead of the double takes a tenth more of the processor for an import, and peaks some
 * 30 MiB lower. For all threads of the process.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
