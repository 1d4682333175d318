import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { JobStore, NewJob, Outcome, Progress } from "#infra/jobs/job-store.ts";
import type { Asker } from "#infra/kernel/asker.ts";
import { QueueFull } from "#infra/kernel/queue-counts.ts";

/**
 * Arguments of a job's work, which enters queues by its owner. When the signal aborts, the work throws its reason
 * and leaves nothing half done.
 */
export type Run = Asker & {
  readonly onProgress: (progress: Progress) => void;
};

export type Work<R> = (run: Run) => Promise<R>;

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

export type JobRunnerDeps = {
  readonly store: JobStore;
  /** Presence key of this process. */
  readonly worker: string;
  readonly newId: () => string;
  readonly describe: (error: unknown) => Extract<Outcome, { status: "failed" }>["error"];
  /** Whether an error is the client's own mistake, which needs no warning for operators. */
  readonly isClientMistake: (error: unknown) => boolean;
  readonly logger: Logger;
};

/** The reason of an abort by a caller who may cancel the job. */
export class JobCancelled extends Error {
  override readonly name = "JobCancelled";
}

/** Most jobs of one caller that run or wait. */
const JOBS_OF_ONE = 64;
const REPORT_MS = 500;
const GRACE_MS = 5_000;

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
        return work({ ...asker, signal, onProgress: nothing });
      }),
    has: works.has,
    cancel: (id) => works.abort(id, new JobCancelled("cancelled")),
    close: works.close,
  };
}

type Running = {
  /** Of a job; null for work that is attended. */
  readonly caller: string | null;
  readonly controller: AbortController;
  readonly settled: Promise<void>;
};

function createRunningWorks() {
  const running = new Map<string, Running>();
  let isClosed = false;

  /** Waits until nothing runs, including work that starts meanwhile. */
  async function settle(): Promise<void> {
    while (running.size > 0) await Promise.all([...running.values()].map((run) => run.settled));
  }

  return {
    has: (id: string) => running.has(id),
    jobsOf: (caller: string) =>
      [...running.values()].filter((work) => work.caller === caller).length,
    abort: (id: string, reason: Error) => running.get(id)?.controller.abort(reason),
    track<R>(
      id: string,
      caller: string | null,
      work: (controller: AbortController) => Promise<R>,
    ): Promise<R> {
      const controller = new AbortController();
      if (isClosed) controller.abort(stopped());
      const ended = work(controller).finally(() => running.delete(id));
      running.set(id, { caller, controller, settled: ended.then(nothing, nothing) });
      return ended;
    },
    /** Waits briefly for what runs, then aborts it. */
    async close(): Promise<void> {
      const grace = new AbortController();
      await Promise.race([
        settle().finally(() => grace.abort()),
        delay(GRACE_MS, undefined, { signal: grace.signal }).catch(nothing),
      ]);
      isClosed = true;
      for (const { controller } of running.values()) controller.abort(stopped());
      await settle();
    },
  };
}

function stopped(): Error {
  return new Error("the service is stopping");
}

function nothing(): void {}

type RunningJob = {
  readonly id: string;
  readonly controller: AbortController;
  readonly asker: Asker;
};

async function runToEnd(
  deps: JobRunnerDeps,
  { id, controller, asker }: RunningJob,
  work: Work<Readonly<Record<string, unknown>>>,
): Promise<void> {
  const { signal } = controller;
  let progress: Progress = { done: 0, total: 0 };
  const onProgress = (now: Progress): void => {
    progress = now;
  };
  const ending = new AbortController();
  const reporting = report(deps, id, controller, ending.signal, () => progress);
  const outcome = await outcomeOf(deps, signal, () => work({ ...asker, signal, onProgress }));
  ending.abort();
  await reporting;
  await deps.store.finish(id, outcome, progress);
}

/** Stores the progress while the work runs, and checks for a cancellation. */
async function report(
  { store, logger }: JobRunnerDeps,
  id: string,
  controller: AbortController,
  ending: AbortSignal,
  progress: () => Progress,
): Promise<void> {
  while (true) {
    await delay(REPORT_MS, undefined, { signal: ending }).catch(nothing);
    if (ending.aborted) return;
    try {
      const isCancelled = await store.report(id, progress());
      if (isCancelled) controller.abort(new JobCancelled("cancelled"));
    } catch (error) {
      logger.warn({ err: error, id }, "the progress of a job cannot be kept");
    }
  }
}

async function outcomeOf(
  { describe, isClientMistake, logger }: JobRunnerDeps,
  signal: AbortSignal,
  work: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<Outcome> {
  try {
    return { status: "succeeded", result: await work() };
  } catch (error) {
    if (signal.aborted && signal.reason instanceof JobCancelled) {
      return { status: "cancelled" };
    }
    const level = isClientMistake(error) ? "info" : "warn";
    logger[level]({ err: error }, "a job failed");
    return { status: "failed", error: describe(error) };
  }
}
