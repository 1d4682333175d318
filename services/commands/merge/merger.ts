import type { MergePreview } from "#contracts/http/merge.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import { type ChunkStream, useChunks } from "../chunk-stream.ts";
import type { MergeRequest } from "./merge-plan.ts";
import type * as tasks from "./merge-worker.ts";
import type { MergeBegin, MergeEnd, MergeTask } from "./merge-worker.ts";

/** A running merge, whose groups are known; the merged events come as chunks. */
export type RunningMerge = MergeBegin & ChunkStream<MergeEnd>;

/** Merges in worker threads, each with its own database connection. */
export type Merger = {
  /**
   * Passes the merged events to `use`, in chunks; chunks that are not read are not merged.
   * @throws Refusal NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason; errors of `use`
   */
  readonly merge: <T>(
    request: MergeRequest,
    signal: AbortSignal,
    use: (merge: RunningMerge) => Promise<T>,
  ) => Promise<T>;
  /** @throws Refusal NOT_FOUND, CONFLICT, MERGE_ERROR */
  readonly preview: (request: MergeRequest) => Promise<MergePreview>;
  readonly close: () => Promise<void>;
};

/** Concurrent merges; others wait. Each holds the grouping data of all its events. */
const MAX_MERGES = 2;
/**
 * Grouping is a single computation: five million events take two seconds, and each dense run with
 * ten million pairs, the maximum, ten more.
 */
const STUCK_AFTER_SECONDS = 300;

export function createMerger({ databaseUrl }: Pick<MergeTask, "databaseUrl">): Merger {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./merge-worker.ts", import.meta.url),
    maxThreads: MAX_MERGES,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  });
  return {
    merge: (request, signal, use) => {
      const task = { ...request, databaseUrl };
      return useChunks(workers.stream("streamMerged", task, { signal, endsThread: true }), use);
    },
    preview: (request) => workers.run("previewMerged", { ...request, databaseUrl }),
    close: () => workers.close(),
  };
}
