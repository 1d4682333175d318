import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";

const SWEEP_MS = 5_000;

/**
 * Ends what dead processes have left open: at once, and every few seconds after.
 * @param work answers how many it ended
 */
export function sweep(
  what: string,
  work: () => Promise<number>,
  logger: Logger,
): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sweeping = (async () => {
    while (!signal.aborted) {
      try {
        const ended = await work();
        if (ended > 0) logger.warn({ ended, what }, "left open by dead processes, ended");
      } catch (error) {
        logger.warn({ err: error, what }, "looking for what dead processes left open failed");
      }
      await delay(SWEEP_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    close: async () => {
      stopping.abort();
      await sweeping;
    },
  };
}
