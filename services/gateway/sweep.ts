import type { Logger } from "pino";
import { repeat } from "#infra/kernel/repeat.ts";

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
