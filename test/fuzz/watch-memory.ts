import { setTimeout as delay } from "node:timers/promises";
import { memoryOf } from "../support/process-figures.ts";

/** Resident set of the service, MiB. */
export type MemoryReport = {
  /** Once it had answered requests for a while. */
  readonly start: number;
  readonly peak: number;
  /** After a pause at the end. */
  readonly end: number;
  readonly isFlat: boolean;
};

const EVERY_MS = 1_000;
/** What the end may lie above the start: code that is compiled by then, and garbage. */
const SHARE = 1.25;
const ROOM_MIB = 64;

/**
 * Watches a process from `warmMs` on until it is asked for its report. The start is the highest of the
 * first half of a minute: it is where a heap in use levels out.
 */
export function watchMemory(
  pid: number,
  warmMs: number,
): { readonly report: (pauseMs: number) => Promise<MemoryReport> } {
  const samples: number[] = [];
  const ending = new AbortController();
  // A process that has ended by itself is told of elsewhere.
  const look = async (): Promise<number> => {
    const size = await memoryOf(pid).catch(() => 0);
    samples.push(size);
    return size;
  };
  const watching = (async () => {
    await delay(warmMs, undefined, { signal: ending.signal }).catch(() => {});
    while (!ending.signal.aborted) {
      await look();
      await delay(EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  return {
    async report(pauseMs) {
      ending.abort();
      await watching;
      await delay(pauseMs);
      const end = await look();
      const start = Math.max(...samples.slice(0, 30));
      const peak = Math.max(...samples);
      return { start, peak, end, isFlat: end <= start * SHARE + ROOM_MIB };
    },
  };
}
