import type { ChangeCounts } from "#infra/event-log/chunk-writer.ts";
import type { Asker } from "#infra/kernel/asker.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import type { VersionPair } from "#projections/queries/differences/version-diff.ts";
import { type ChunkStream, chunksOf } from "../changes/chunks-of-thread.ts";
import type * as tasks from "./restore-worker.ts";
import type { RestoreTask } from "./restore-worker.ts";

/** Finds what has to be changed to restore a version, in worker threads with connections of their own. */
export type Restorer = {
  /** Passes the changes from one version to the other to `use`, in chunks. @throws errors of `use` */
  readonly changes: <T>(
    pair: VersionPair,
    asker: Asker,
    use: (changes: ChunkStream<ChangeCounts>) => Promise<T>,
  ) => Promise<T>;
};

export function createRestorer(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl }: Pick<RestoreTask, "databaseUrl">,
): Restorer {
  return {
    async changes(pair, asker, use) {
      const items = threads.stream("streamRestored", { databaseUrl, pair }, asker);
      try {
        return await use(chunksOf(items, () => {}));
      } finally {
        await items.return({ added: 0, updated: 0, removed: 0 });
      }
    },
  };
}
