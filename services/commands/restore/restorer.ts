import type { ChangeCounts } from "#infra/event-log/chunk-writer.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import type { VersionPair } from "#projections/queries/events/version-diff.ts";
import { type ChunkStream, chunksOf } from "../chunk-stream.ts";
import type * as tasks from "./restore-worker.ts";
import type { RestoreTask } from "./restore-worker.ts";

/** Finds what has to be changed to restore a version, in worker threads with connections of their own. */
export type Restorer = {
  /** Passes the changes from one version to the other to `use`, in chunks. @throws errors of `use` */
  readonly changes: <T>(
    pair: VersionPair,
    signal: AbortSignal,
    use: (changes: ChunkStream<ChangeCounts>) => Promise<T>,
  ) => Promise<T>;
  readonly close: () => Promise<void>;
};

const MAX_RESTORES = 2;
const STUCK_AFTER_SECONDS = 60;

export function createRestorer({ databaseUrl }: Pick<RestoreTask, "databaseUrl">): Restorer {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./restore-worker.ts", import.meta.url),
    maxThreads: MAX_RESTORES,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  });
  return {
    async changes(pair, signal, use) {
      const items = workers.stream("streamRestored", { databaseUrl, pair }, { signal });
      try {
        return await use(chunksOf(items, () => {}));
      } finally {
        await items.return({ added: 0, updated: 0, removed: 0 });
      }
    },
    close: () => workers.close(),
  };
}
