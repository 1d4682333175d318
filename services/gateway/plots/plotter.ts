import { createWorkerThreads } from "#infra/threads/pool.ts";
import type * as tasks from "./plot-worker.ts";
import type { PlotTask } from "./plot-worker.ts";

/** Draws plots in a worker thread, one after the other. */
export type Plotter = {
  readonly draw: (task: PlotTask) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
};

/** The largest plot takes a second. */
const STUCK_AFTER_SECONDS = 30;
/** Several times the elements of the largest plot. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 256 };

export function createPlotter(): Plotter {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./plot-worker.ts", import.meta.url),
    maxThreads: 1,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
    resourceLimits: HEAP_LIMITS,
  });
  return { draw: (task) => workers.run("draw", task), close: () => workers.close() };
}
