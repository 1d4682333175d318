import type { Logger } from "pino";
import { Refusal } from "#contracts/errors.ts";
import type { PushedEvent } from "#infra/agency/push.ts";
import type { ClaimedSchedule, claimSchedule } from "#projections/read/schedules.ts";
import { createRunningWorks } from "#services/jobs/running-works.ts";
import type { Importer } from "../import/importer.ts";
import type { ImportedCatalogue, ImportRun } from "../import/run-import.ts";
import { CatalogueMoved } from "../import/run-scheduled.ts";
import { type RunClaimedDeps, runClaimed } from "./run-claimed.ts";

export type OwnRunsDeps = RunClaimedDeps & {
  /** Of messages, which do not wait for runs. */
  readonly messageImporter: Importer;
  readonly logger: Pick<Logger, "info" | "warn">;
};

/** How messages fared; `busy`: the schedule runs, or others change the catalogue; `gone`: it takes none any more. */
export type Applied = "done" | "busy" | "gone" | "failed";

/** The runs of this process, of which others think that they are dead when it is gone. */
export function createOwnRuns(deps: OwnRunsDeps) {
  const { context, logger } = deps;
  const works = createRunningWorks();
  const claims = new Set<string>();

  return {
    has: (runId: string): boolean => claims.has(runId) || works.has(runId),
    /** Claims a schedule by `how`; the run is this process's before its claim is there. */
    async claim(how: typeof claimSchedule, scheduleId: string): Promise<ClaimedSchedule | null> {
      const runId = context.newId();
      claims.add(runId);
      const claimant = { worker: context.worker, now: context.now() };
      const claimed = await how(context.pool, claimant, scheduleId, runId).catch((error) => {
        claims.delete(runId);
        throw error;
      });
      if (claimed === null) claims.delete(runId);
      return claimed;
    },
    forget: ({ runId }: ClaimedSchedule): boolean => claims.delete(runId),
    /** A run that somebody waits for. */
    attended: (claimed: ClaimedSchedule, run: ImportRun): Promise<ImportedCatalogue> =>
      runClaimed(deps, claimed, run).finally(() => claims.delete(claimed.runId)),
    /** A run that nobody waits for: its failures are told by its record. */
    async alone(
      claimed: ClaimedSchedule,
      messages: readonly PushedEvent[] | null = null,
    ): Promise<Applied> {
      const { scheduleId, runId } = claimed;
      // A schedule takes its turns among the others, whoever has made them, and leaves some to people.
      const asker = { caller: scheduleId, network: "", isGuest: false };
      const importer = messages === null ? deps.importer : deps.messageImporter;
      try {
        await works.track(runId, null, ({ signal }) => {
          const run = { ...asker, signal, onProgress() {} };
          return runClaimed({ ...deps, importer }, claimed, run, messages);
        });
        return "done";
      } catch (error) {
        if (error instanceof Refusal && error.cause instanceof CatalogueMoved) return "busy";
        logger.info({ err: error, scheduleId }, "a scheduled import did not succeed");
        return "failed";
      } finally {
        claims.delete(runId);
      }
    },
    /** Waits briefly for those that nobody waits for, then aborts them. */
    close: works.close,
  };
}
