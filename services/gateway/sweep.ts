import type { Logger } from "pino";
import { repeat } from "./repeat.ts";

/**
 * Puts in order what dead processes have left behind: at once, and every `everyMs` after.
 * @param work answers how many it found
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
      if (found > 0) logger.warn({ found, what }, "left behind by dead processes, now in order");
    },
    (error) => logger.warn({ err: error, what }, "looking for what was left behind failed"),
  );
}
