import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { JobStore, NewJob, Outcome, Progress } from "#infra/jobs/job-store.ts";

/** Arguments of a job's work. */
export type Run = {
  /** When it aborts, the work throws the signal's reason and leaves nothing half done. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
};

export type Work<R> = (run: Run) => Promise<R>;

/** Runs work that may outlast its request. */
export type JobRunner = {
  /** Starts a job; its progress and its result are in the store. */
  readonly start: (
    job: Omit<NewJob, "id" | "worker">,
    work: Work<Readonly<Record<string, unknown>>>,
  ) => Promise<string>;
  /** Runs the work for a waiting caller; it also runs to its end when the caller leaves. */
  readonly attend: <R>(work: Work<R>) => Promise<R>;
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
  /** Describes an error for clients. */
  readonly describe: (error: unknown) => Extract<Outcome, { status: "failed" }>["error"];
  /** Whether an error is the client's own mistake, which needs no warning for operators. */
  readonly isClientMistake: (error: unknown) => boolean;
  readonly logger: Logger;
};

/** The reason of an abort by a caller who may cancel the job. */
export class JobCancelled extends Error {
  override readonly name = "JobCancelled";
}

const REPORT_MS = 500;
const GRACE_MS = 5_000;

export function createJobRunner(deps: JobRunnerDeps): JobRunner {
  const { store, worker, newId, logger } = deps;
  const running = new Map<string, Running>();
  let isClosed = false;

  /** Registered before the store has the job, so that the sweep never considers it abandoned. */
  function track<R>(id: string, work: (controller: AbortController) => Promise<R>): Promise<R> {
    const controller = new AbortController();
    if (isClosed) controller.abort(stopped());
    const ended = work(controller).finally(() => running.delete(id));
    const settled = ended.then(nothing, nothing);
    running.set(id, { controller, settled });
    return ended;
  }

  /** Waits until nothing runs, including work that starts meanwhile. */
  async function settle(): Promise<void> {
    while (running.size > 0) await Promise.all([...running.values()].map((run) => run.settled));
  }

  async function runToEnd(
    id: string,
    controller: AbortController,
    work: Work<Readonly<Record<string, unknown>>>,
  ): Promise<void> {
    let progress: Progress = { done: 0, total: 0 };
    const onProgress = (now: Progress): void => {
      progress = now;
    };
    const ending = new AbortController();
    const reporting = report(deps, id, controller, ending.signal, () => progress);
    const outcome = await outcomeOf(deps, controller.signal, () =>
      work({ signal: controller.signal, onProgress }),
    );
    ending.abort();
    await reporting;
    await store.finish(id, outcome, progress);
  }

  return {
    start: async (job, work) => {
      const id = newId();
      const stored = Promise.withResolvers<void>();
      const ended = track(id, async (controller) => {
        const inserted = store.insert({ ...job, id, worker });
        inserted.then(stored.resolve, stored.reject);
        await inserted;
        await runToEnd(id, controller, work);
      });
      // If even the failure cannot be stored, the sweep finds the job and ends it as failed.
      ended.catch((error: unknown) => logger.error({ err: error, id }, "an operation was lost"));
      await stored.promise;
      return id;
    },
    attend: (work) => track(newId(), ({ signal }) => work({ signal, onProgress: nothing })),
    has: (id) => running.has(id),
    cancel: (id) => running.get(id)?.controller.abort(new JobCancelled("cancelled")),
    close: async () => {
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

type Running = { readonly controller: AbortController; readonly settled: Promise<void> };

function nothing(): void {}

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
      logger.warn({ err: error, id }, "the progress of an operation cannot be kept");
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
    logger[level]({ err: error }, "an operation failed");
    return { status: "failed", error: describe(error) };
  }
}
