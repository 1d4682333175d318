import { Refusal } from "#contracts/errors.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import type { Run } from "../jobs/job-runner.ts";
import type * as tasks from "./compare-worker.ts";
import type { ComparedCatalogues, CompareRequest, CompareTask } from "./compare-worker.ts";

/** Compares catalogues in a thread with its own database connection. */
export type Comparer = {
  /** @throws Refusal NOT_FOUND, MERGE_ERROR; the signal's reason */
  readonly compare: (request: CompareRequest, run: Run) => Promise<ComparedCatalogues>;
  readonly close: () => Promise<void>;
};

/** Each holds the times, places and magnitudes of all its events; others wait. */
const MAX_COMPARISONS = 1;
/** As long as a merge of as many events. */
const STUCK_AFTER_SECONDS = 300;
/** Of both catalogues; their columns and ids take about a gigabyte. */
const MAX_EVENTS = 5_000_000;

export function createComparer({ databaseUrl }: Pick<CompareTask, "databaseUrl">): Comparer {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./compare-worker.ts", import.meta.url),
    maxThreads: MAX_COMPARISONS,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  });
  return {
    async compare(request, { signal, onProgress }) {
      const total = request.versions.reduce((sum, { eventCount }) => sum + eventCount, 0);
      if (total > MAX_EVENTS) {
        throw new Refusal(
          "MERGE_ERROR",
          `The catalogues have more than ${MAX_EVENTS} events in all`,
        );
      }
      const task = { ...request, databaseUrl };
      const reading = workers.stream("compare", task, { signal, endsThread: true });
      for (;;) {
        const { done, value } = await reading.next();
        if (done) return value;
        onProgress({ done: value, total });
      }
    },
    close: () => workers.close(),
  };
}
