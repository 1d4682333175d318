import { createWorkerThreads } from "#infra/threads/pool.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import type * as tasks from "./statistics-worker.ts";

/** Threads for statistics that take longer than a request may block the others. */
export type StatisticsThreads = Pick<WorkerThreads<typeof tasks>, "run" | "close">;

/** Others wait. */
const MAX_THREADS = 1;
/** A test of a million magnitudes a hundred times takes a minute. */
const STUCK_AFTER_SECONDS = 300;

export function createStatisticsThreads(): StatisticsThreads {
  return createWorkerThreads<typeof tasks>({
    entry: new URL("./statistics-worker.ts", import.meta.url),
    maxThreads: MAX_THREADS,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  });
}
