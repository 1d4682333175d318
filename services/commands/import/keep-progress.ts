import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { ImportTally } from "#contracts/import-run.ts";
import type { ImportProgressStore } from "#infra/jobs/import-progress.ts";

const KEEP_MS = 1_000;

/** Stores an import's progress about every second, until closed, so that it survives a crash. */
export function keepProgress(
  keep: (tally: ImportTally) => ReturnType<ImportProgressStore["keep"]>,
  latest: () => ImportTally,
  logger: Pick<Logger, "warn">,
): { readonly close: () => Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;
  let kept = latest();
  const keeping = (async () => {
    while (!signal.aborted) {
      await delay(KEEP_MS, undefined, { signal }).catch(() => undefined);
      const tally = latest();
      if (signal.aborted || tally === kept) continue;
      kept = tally;
      await keep(tally).catch((error: unknown) => {
        logger.warn({ err: error }, "the progress of an import cannot be kept");
      });
    }
  })();
  return {
    close: async () => {
      closing.abort();
      await keeping;
    },
  };
}
