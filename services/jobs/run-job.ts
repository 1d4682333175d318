import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { JobStore, Outcome, Progress } from "#infra/stores/jobs.ts";

/**
 * Arguments of a job's work, which enters queues by its owner. When the signal aborts, the work throws its reason
 * and leaves nothing half done.
 */
export type Run = Asker & {
  readonly onProgress: (progress: Progress) => void;
};

export type Work<R> = (run: Run) => Promise<R>;

export type RunDeps = {
  readonly store: JobStore;
  readonly describe: (error: unknown) => Extract<Outcome, { status: "failed" }>["error"];
  /** Whether an error needs no warning for operators. */
  readonly isNoFault: (error: unknown) => boolean;
  readonly logger: Logger;
};

/** The reason of an abort by a caller who may cancel the job. */
export class JobCancelled extends Error {
  override readonly name = "JobCancelled";
}

const REPORT_MS = 500;

type RunningJob = {
  readonly id: string;
  readonly controller: AbortController;
  readonly asker: Asker;
};

/** Stores the job's outcome, whatever it is. */
export async function runToEnd(
  deps: RunDeps,
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
  { store, logger }: RunDeps,
  id: string,
  controller: AbortController,
  ending: AbortSignal,
  progress: () => Progress,
): Promise<void> {
  while (true) {
    await delay(REPORT_MS, undefined, { signal: ending }).catch(() => undefined);
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
  { describe, isNoFault, logger }: RunDeps,
  signal: AbortSignal,
  work: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<Outcome> {
  try {
    return { status: "succeeded", result: await work() };
  } catch (error) {
    if (signal.aborted && signal.reason instanceof JobCancelled) {
      return { status: "cancelled" };
    }
    const level = isNoFault(error) ? "info" : "warn";
    logger[level]({ err: error }, "a job failed");
    return { status: "failed", error: describe(error) };
  }
}
