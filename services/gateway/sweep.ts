import type { Logger } from "pino";
import { repeat } from "#infra/kernel/waiting.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import { dropOldResults } from "#infra/stores/declustering.ts";
import { dropOldUploads } from "#infra/stores/uploads.ts";
import { forgetOldNetworks } from "#infra/vault/credentials.ts";
import { finishDeletions } from "#services/commands/accounts/delete-user.ts";
import { abandonRevisionsOfTheDead } from "#services/commands/catalogues/abandon-revisions.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { forgetDeleted } from "#services/commands/merge/forget-deleted.ts";
import { forgetEnded } from "#services/commands/schedules/forget-ended.ts";
import type { Reservations } from "./idempotency/reservations.ts";

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
      const count = await work();
      if (count > 0) logger.warn({ found: count, what }, "cleaned up after dead processes");
    },
    (error) => logger.warn({ err: error, what }, "the clean-up after dead processes failed"),
  );
}

type SweepDeps = {
  readonly context: CommandContext;
  readonly presence: Presence;
  readonly reservations: Reservations;
  readonly logger: Logger;
};

const SECOND = 1_000;
const RESULTS_KEPT_MS = 30 * 86_400 * SECOND;

/** Cleans up after dead processes and what has expired, until closed. */
export function startSweeps({ context, presence, reservations, logger }: SweepDeps) {
  const clearing = (what: string) => (error: unknown) =>
    logger.warn({ err: error }, `${what} cannot be cleared away`);
  const abandon = () => abandonRevisionsOfTheDead(context, presence);
  const forget = () => forgetOldNetworks(context.pool);
  const dropResults = () =>
    dropOldResults(context.pool, new Date(context.now().getTime() - RESULTS_KEPT_MS));
  const sweeps = [
    sweep("revisions", 5 * SECOND, abandon, logger),
    sweep("deletions of users", 30 * SECOND, () => finishDeletions(context), logger),
    repeat(10 * SECOND, reservations.sweep, clearing("idempotency keys")),
    repeat(3_600 * SECOND, forget, clearing("old networks")),
    repeat(3_600 * SECOND, dropResults, clearing("old results of declustering")),
    repeat(3_600 * SECOND, () => forgetEnded(context), clearing("ended schedules")),
    repeat(3_600 * SECOND, () => forgetDeleted(context), clearing("deleted merges")),
    repeat(3_600 * SECOND, () => dropOldUploads(context.pool), clearing("old uploads")),
  ];
  return {
    close: async (): Promise<void> => {
      for (const { close } of sweeps) await close();
    },
  };
}
