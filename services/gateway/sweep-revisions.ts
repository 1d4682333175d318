import { setTimeout as delay } from "node:timers/promises";
import type { Presence } from "#infra/postgres/presence.ts";
import { abandonRevisionsOfTheDead } from "#services/commands/catalogues/abandon-revisions.ts";
import type { CommandContext } from "#services/commands/context.ts";

const SWEEP_MS = 5_000;

/** Abandons the revisions that dead processes left open: at once, and every few seconds after. */
export function sweepRevisions(
  context: CommandContext,
  presence: Presence,
): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sweeping = (async () => {
    while (!signal.aborted) {
      try {
        const abandoned = await abandonRevisionsOfTheDead(context, presence);
        if (abandoned > 0)
          context.logger.warn({ abandoned }, "revisions of dead processes abandoned");
      } catch (error) {
        context.logger.warn({ err: error }, "looking for abandoned revisions failed");
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
