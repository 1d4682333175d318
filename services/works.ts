/** Work that may outlast its request: who waits for it, how it runs, is told of and ends. */

import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { type Asker, QueueFull, staying } from "#infra/kernel/fair-queue.ts";
import { createWakeUp } from "#infra/kernel/waiting.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import type { JobStore, NewJob, Outcome, Progress } from "#infra/stores/jobs.ts";

type Caller = {
  readonly actor: { readonly userId: string } | null;
  readonly asker: Asker;
  readonly prefersAsync: boolean;
};

type Answered = { readonly body: object };

export type BackgroundWork<A extends Answered> = {
  readonly job: Pick<NewJob, "kind" | "unit" | "reads">;
  /** It runs in the background also for who did not ask for that, where somebody can own the job. */
  readonly isLong?: boolean;
  /** It ends when the caller who waits for it leaves; by default it runs to its end. */
  readonly endsWithCaller?: boolean;
  /** Takes what the work in the background needs of the request. @returns its release */
  readonly keep?: () => () => void;
  readonly work: (run: Run) => Promise<A>;
};

/** Answers when the work is done, or at once with the job that does it. @throws errors of the work; QueueFull */
export async function answerOrStart<A extends Answered>(
  runner: Pick<JobRunner, "attend" | "start">,
  { actor, asker, prefersAsync }: Caller,
  { job, isLong = false, endsWithCaller = false, keep, work }: BackgroundWork<A>,
): Promise<A | ReturnType<typeof acceptedAnswer>> {
  if (actor === null || !(prefersAsync || isLong)) {
    return runner.attend(endsWithCaller ? asker : staying(asker), work);
  }
  const release = keep?.() ?? nothing;
  const started = runner.start({ ...job, owner: actor.userId }, asker, async (run) => {
    const { body } = await work(run).finally(release);
    return body as Readonly<Record<string, unknown>>;
  });
  // Work that could not be started ends with that.
  started.catch(release);
  return acceptedAnswer(await started);
}

function nothing(): void {}

export type JobRunnerDeps = RunDeps & {
  /** Presence key of this process. */
  readonly worker: string;
  readonly newId: () => string;
};

/** Most jobs of one caller that run or wait. */
const JOBS_OF_ONE = 64;

export type JobRunner = ReturnType<typeof createJobRunner>;

/** Runs work that may outlast its request. */
export function createJobRunner(deps: JobRunnerDeps) {
  const { store, worker, newId, logger } = deps;
  const works = createRunningWorks();
  return {
    /**
     * Starts a job, which goes on when the caller leaves; its progress and its result are in the store.
     * @throws QueueFull when the caller has too many
     */
    start: async (
      job: Omit<NewJob, "id" | "worker">,
      asker: Asker,
      work: Work<Readonly<Record<string, unknown>>>,
    ): Promise<string> => {
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
    /** Runs the work for a caller who waits. */
    attend: <R>(asker: Asker, work: Work<R>): Promise<R> =>
      works.track(newId(), null, (controller) => {
        const signal = AbortSignal.any([controller.signal, asker.signal]);
        return work({ ...asker, signal, onProgress: () => undefined });
      }),
    /** Whether this process runs the job. */
    has: works.has,
    /** Aborts a job of this process. A job of another process is cancelled through the store. */
    cancel: (id: string): void => works.abort(id, new JobCancelled("cancelled")),
    /** Waits briefly for running jobs, then aborts them. */
    close: works.close,
  };
}

/**
 * Arguments of a job's work, which enters queues by its owner. When the signal aborts, the work throws its reason
 * and leaves nothing half done.
 */
export type Run = Asker & {
  readonly onProgress: (progress: Progress) => void;
};

type Work<R> = (run: Run) => Promise<R>;

type RunDeps = {
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
async function runToEnd(
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

/** The reason of an abort by the stop of the service. */
export class ServiceStopping extends Error {
  override readonly name = "ServiceStopping";

  constructor() {
    super("the service is stopping");
  }
}

/** How long running work is waited for before it is aborted. */
const GRACE_MS = 5_000;

type Running = {
  /** Of a job; null for work that is attended. */
  readonly caller: string | null;
  readonly controller: AbortController;
  readonly settled: Promise<void>;
};

/** The jobs of this process, and the work that callers attend. */
export function createRunningWorks() {
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
      if (isClosed) controller.abort(new ServiceStopping());
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
      for (const { controller } of running.values()) controller.abort(new ServiceStopping());
      await settle();
    },
  };
}

/** Runs what is due, beside other processes that do so on the same database. */
export function createDueRuns<T>({
  atOnce,
  pollMs,
  claim,
  run,
  onTrouble,
}: {
  readonly atOnce: number;
  /** How often it is looked for what is due; null for never but by `runDue`. */
  readonly pollMs: number | null;
  /** Claims what is due for this process, so many at most. */
  readonly claim: (limit: number) => Promise<readonly T[]>;
  /** Runs one to its end; never rejects. */
  readonly run: (claimed: T) => Promise<unknown>;
  /** It could not be looked for what is due. */
  readonly onTrouble: (error: unknown) => void;
}) {
  const wakeUp = createWakeUp();
  const stopping = new AbortController();
  let free = atOnce;

  /** Starts those that are due, as many as there are places. @returns the runs */
  async function start(): Promise<Promise<void>[]> {
    const claimed = await claim(free);
    free -= claimed.length;
    return claimed.map(async (one) => {
      await run(one);
      free += 1;
      wakeUp.wake();
    });
  }

  async function poll(everyMs: number): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      const version = wakeUp.version();
      await start().catch(onTrouble);
      await wakeUp.wait(version, everyMs, signal);
    }
  }

  const polling = pollMs === null ? Promise.resolve() : poll(pollMs);
  return {
    /** Runs all that are due, until none is. @returns how many runs there were */
    async runDue(): Promise<number> {
      let count = 0;
      for (let due = await start(); due.length > 0; due = await start()) {
        count += due.length;
        await Promise.all(due);
      }
      return count;
    },
    /** Starts no more; those that run go on. */
    async stop(): Promise<void> {
      stopping.abort();
      await polling;
    },
  };
}

/**
 * Those of some runs that nobody goes on with: of dead processes, and of this one, which does not know them.
 * @param alive those of some processes that are alive
 * @param isRunning whether this process has a run
 */
export async function runsOfTheDead<T extends { readonly worker: string }>(
  running: readonly T[],
  own: string,
  alive: Presence["alive"],
  isRunning: (run: T) => boolean,
): Promise<readonly T[]> {
  if (running.length === 0) return [];
  const others = running.map(({ worker }) => worker).filter((worker) => worker !== own);
  const living = await alive(others);
  return running.filter((run) => (run.worker === own ? !isRunning(run) : !living.has(run.worker)));
}

/** The answer to a client that does not wait for the job (RFC 7240, 4.1). */
function acceptedAnswer(operationId: string) {
  return {
    status: 202,
    body: { operationId },
    headers: {
      location: `/api/operations/${operationId}`,
      "preference-applied": "respond-async",
    },
  } as const;
}
