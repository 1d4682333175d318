import type { JobStore } from "#infra/jobs/job-store.ts";
import type { Presence } from "#infra/postgres/presence.ts";
import type { JobRunner } from "./job-runner.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 7 * DAY_MS;

const ABANDONED = {
  error: "The process that ran the operation has ended; start it again",
  code: "UNAVAILABLE",
} as const;

export type AbandonedDeps = {
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
