import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import type { Run } from "../jobs/run-job.ts";
import type * as tasks from "./compare-worker.ts";
import type { ComparedCatalogues, CompareRequest, CompareTask } from "./compare-worker.ts";

/** Compares catalogues in a thread with its own database connection. */
export type Comparer = {
  /** @throws QueueFull; Refusal NOT_FOUND, MERGE_ERROR; the signal's reason */
  readonly compare: (request: CompareRequest, run: Run) => Promise<ComparedCatalogues>;
};

export function createComparer(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl }: Pick<CompareTask, "databaseUrl">,
): Comparer {
  return {
    async compare(request, run) {
      const total = request.versions.reduce((sum, { eventCount }) => sum + eventCount, 0);
      const reading = threads.stream("compare", { ...request, databaseUrl }, run);
      for (;;) {
        const { done, value } = await reading.next();
        if (done) return value;
        run.onProgress({ done: value, total });
      }
    },
  };
}
