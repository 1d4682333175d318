import { setTimeout as delay } from "node:timers/promises";
import { finishDeletions } from "#services/commands/accounts/finish-deletions.ts";
import type { CommandContext } from "#services/commands/context.ts";

const SWEEP_MS = 30_000;

/** Finishes deletions of accounts that a crash cut off: at once, and twice a minute after. */
export function sweepDeletions(context: CommandContext): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sweeping = (async () => {
    while (!signal.aborted) {
      try {
        const finished = await finishDeletions(context);
        if (finished > 0) context.logger.warn({ finished }, "deletions cut off were finished");
      } catch (error) {
        context.logger.warn({ err: error }, "looking for unfinished deletions failed");
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
