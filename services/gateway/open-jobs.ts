import type { Logger } from "pino";
import { createJobStore, type JobStore } from "#infra/jobs/job-store.ts";
import type { Presence } from "#infra/postgres/presence.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { failAbandonedJobs } from "#services/jobs/fail-abandoned.ts";
import { createJobRunner, type JobRunner } from "#services/jobs/job-runner.ts";
import { errorAnswer, isClientMistake } from "./http/error-answer.ts";
import { sweep } from "./sweep.ts";

const SWEEP_MS = 5_000;

export type OpenJobs = {
  readonly store: JobStore;
  readonly runner: JobRunner;
  readonly close: () => Promise<void>;
};

/** Opens the runner of this process's jobs, and the sweep for jobs of dead processes. */
export function openJobs(
  { pool, worker, newId, now }: CommandContext,
  presence: Presence,
  logger: Logger,
): OpenJobs {
  const store = createJobStore(pool);
  const describe = (error: unknown) => {
    const { error: sentence, code, details, catalogueId } = errorAnswer(error).body;
    return {
      error: sentence,
      ...(code && { code }),
      ...(details && { details: [...details] }),
      ...(catalogueId && { catalogueId }),
    };
  };
  const runner = createJobRunner({
    store,
    worker,
    newId,
    describe,
    isClientMistake,
    logger,
  });
  const abandoned = { store, presence, runner };
  const sweeping = sweep("operations", SWEEP_MS, () => failAbandonedJobs(abandoned, now()), logger);
  return {
    store,
    runner,
    close: async () => {
      await runner.close();
      await sweeping.close();
    },
  };
}
