import { afterAll } from "vitest";
import {
  createWorkerThreads,
  type ThreadKind,
  type WorkerThreads,
} from "#infra/threads/worker-threads.ts";
import type * as tasks from "./tasks.ts";

export type TestThreads = WorkerThreads<typeof tasks>;

export const QUEUE = { running: 2, waiting: 100, waitingOfOne: 100, isOfOneCaller: true };

/** Makes pools of two threads, which are closed after the file's tests. */
export function useThreads(
  stuckAfterSeconds: number,
): (options?: Partial<ThreadKind>) => TestThreads {
  const opened: TestThreads[] = [];
  afterAll(() => Promise.all(opened.map((workers) => workers.close())));
  return (options = {}) => {
    const entry = new URL("./tasks.ts", import.meta.url);
    const workers: TestThreads = createWorkerThreads<typeof tasks>(
      { entry, queue: QUEUE, stuckAfterSeconds, ...(options as object) },
      { databaseUrl: "" },
    );
    opened.push(workers);
    return workers;
  };
}
