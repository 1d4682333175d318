import { NOTHING_IMPORTED } from "#contracts/import-run.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import { type ChunkStream, chunksOf } from "../changes/chunks-of-thread.ts";
import type * as tasks from "./import-worker.ts";
import type { AgencyOptions, ImportEnd, ImportProgress, ImportTask } from "./import-worker.ts";
import { type AgencyGate, createGateKeeper } from "./remote-breaker.ts";

/** Imports in worker threads, each with its own database connection. */
export type Importer = {
  /**
   * Passes the changes to `use`, in chunks; their end has the result or the agency's failure.
   * @throws the signal's reason; errors of `use`
   */
  readonly run: <T>(
    task: Omit<ImportTask, "databaseUrl">,
    run: Asker & { readonly onProgress: (progress: ImportProgress) => void },
    use: (running: ChunkStream<ImportEnd>) => Promise<T>,
  ) => Promise<T>;
};

export type ImporterOptions = {
  readonly databaseUrl: string;
  /** Shared by all imports of this process from the agency. */
  readonly gateOf: (agency: AgencyOptions) => AgencyGate;
};

export function createImporter(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl, gateOf }: ImporterOptions,
): Importer {
  return {
    run: async (request, { onProgress, ...asker }, use) => {
      const task: ImportTask = { ...request, databaseUrl };
      const answer = createGateKeeper(gateOf(task.agency));
      const items = threads.stream("streamImported", task, asker, { answer });
      let progress: ImportProgress = { windows: { done: 0, total: 0 }, tally: NOTHING_IMPORTED };
      const follow = (next: ImportProgress): void => {
        progress = next;
        onProgress(progress);
      };
      const { chunks, end } = chunksOf(items, ({ news: { windows, tally } }) => {
        const errors = [...progress.tally.errors, ...tally.errors];
        follow({ windows, tally: { ...tally, errors } });
      });
      const ended = async (): Promise<ImportEnd> => {
        const result = await end();
        follow({ ...progress, tally: result.tally });
        return result;
      };
      try {
        return await use({ chunks, end: ended });
      } finally {
        await items.return(undefined as never);
      }
    },
  };
}
