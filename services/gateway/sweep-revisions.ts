import type { Presence } from "#infra/postgres/presence.ts";
import { abandonRevisionsOfTheDead } from "#services/commands/catalogues/abandon-revisions.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { repeat } from "./repeat.ts";

const SWEEP_MS = 5_000;

/** Abandons the revisions that dead processes left open: at once, and every few seconds after. */
export function sweepRevisions(
  context: CommandContext,
  presence: Presence,
): { readonly close: () => Promise<void> } {
  const { logger } = context;
  return repeat(
    SWEEP_MS,
    async () => {
      const abandoned = await abandonRevisionsOfTheDead(context, presence);
      if (abandoned > 0) logger.warn({ abandoned }, "revisions of dead processes abandoned");
    },
    (error) => logger.warn({ err: error }, "looking for abandoned revisions failed"),
  );
}
