import type { Logger } from "pino";
import { DAY_MS } from "#contracts/units.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import { createJobStore, type JobStore } from "#infra/stores/jobs.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { createJobRunner, type JobRunner } from "#services/jobs/job-runner.ts";
import { errorAnswer, isNoFault } from "./http/error-answer.ts";
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
    const { retryAfter: _, error: text, code, details, ...others } = errorAnswer(error).body;
    const known = { error: text, ...(code && { code }) };
    return { ...known, ...(details && { details: [...details] }), ...others };
  };
  const runner = createJobRunner({ store, worker, newId, describe, isNoFault, logger });
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

const KEPT_MS = 7 * DAY_MS;

const ABANDONED = {
  error: "The process that ran the operation has ended; start it again",
  code: "UNAVAILABLE",
} as const;

type AbandonedDeps = {
  readonly store: JobStore;
  readonly presence: Pick<Presence, "key" | "alive">;
  readonly runner: Pick<JobRunner, "has">;
};

/**
 * Ends jobs of dead processes as failed, and deletes those that ended a week ago.
 * @returns the number of failed jobs
 */
export async function failAbandonedJobs(
  { store, presence, runner }: AbandonedDeps,
  now: Date,
): Promise<number> {
  await store.removeEndedBefore(new Date(now.getTime() - KEPT_MS));
  const running = await store.running();
  if (running.length === 0) return 0;
  const alive = await presence.alive(running.map(({ worker }) => worker));
  const abandoned = running.filter(({ id, worker }) =>
    worker === presence.key ? !runner.has(id) : !alive.has(worker),
  );
  for (const { id } of abandoned) await store.finish(id, { status: "failed", error: ABANDONED });
  return abandoned.length;
}
