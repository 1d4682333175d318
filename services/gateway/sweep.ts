import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";

/** Runs `work` now and every `everyMs`, until closed; a failure is logged, and the next run retries. */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeating = (async () => {
    while (!signal.aborted) {
      await work().catch(onFailure);
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    close: async () => {
      stopping.abort();
      await repeating;
    },
  };
}

/**
 * Cleans up after dead processes, now and every `everyMs`.
 * @param work returns how many cases it found
 */
export function sweep(
  what: string,
  everyMs: number,
  work: () => Promise<number>,
  logger: Pick<Logger, "warn">,
): { readonly close: () => Promise<void> } {
  return repeat(
    everyMs,
    async () => {
      const found = await work();
      if (found > 0) logger.warn({ found, what }, "cleaned up after dead processes");
    },
    (error) => logger.warn({ err: error, what }, "the clean-up after dead processes failed"),
  );
}
