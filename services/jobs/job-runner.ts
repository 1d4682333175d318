import { type Asker, QueueFull } from "#infra/kernel/fair-queue.ts";
import type { NewJob } from "#infra/stores/jobs.ts";
import { JobCancelled, type RunDeps, runToEnd, type Work } from "./run-job.ts";
import { createRunningWorks } from "./running-works.ts";

/** Runs work that may outlast its request. */
export type JobRunner = {
  /**
   * Starts a job, which goes on when the caller leaves; its progress and its result are in the store.
   * @throws QueueFull when the caller has too many
   */
  readonly start: (
    job: Omit<NewJob, "id" | "worker">,
    asker: Asker,
    work: Work<Readonly<Record<string, unknown>>>,
  ) => Promise<string>;
  /** Runs the work for a caller who waits. */
  readonly attend: <R>(asker: Asker, work: Work<R>) => Promise<R>;
  /** Whether this process runs the job. */
  readonly has: (id: string) => boolean;
  /** Aborts a job of this process. A job of another process is cancelled through the store. */
  readonly cancel: (id: string) => void;
  /** Waits briefly for running jobs, then aborts them. */
  readonly close: () => Promise<void>;
};

export type JobRunnerDeps = RunDeps & {
  /** Presence key of this process. */
  readonly worker: string;
  readonly newId: () => string;
};

/** Most jobs of one caller that run or wait. */
const JOBS_OF_ONE = 64;

export function createJobRunner(deps: JobRunnerDeps): JobRunner {
  const { store, worker, newId, logger } = deps;
  const works = createRunningWorks();
  return {
    start: async (job, asker, work) => {
      if (works.jobsOf(asker.caller) >= JOBS_OF_ONE) throw new QueueFull(true);
      const id = newId();
      const stored = Promise.withResolvers<void>();
      // Registered before the store has the job, so that the sweep never considers it abandoned.
      const ended = works.track(id, asker.caller, async (controller) => {
        const inserted = store.insert({ ...job, id, worker });
        inserted.then(stored.resolve, stored.reject);
        await inserted;
        await runToEnd(deps, { id, controller, asker }, work);
      });
      // If even the failure cannot be stored, the sweep finds the job and ends it as failed.
      ended.catch((error: unknown) => logger.error({ err: error, id }, "a job was lost"));
      await stored.promise;
      return id;
    },
    attend: (asker, work) =>
      works.track(newId(), null, (controller) => {
        const signal = AbortSignal.any([controller.signal, asker.signal]);
        return work({ ...asker, signal, onProgress: () => undefined });
      }),
    has: works.has,
    cancel: (id) => works.abort(id, new JobCancelled("cancelled")),
    close: works.close,
  };
}
