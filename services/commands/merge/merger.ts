import type { MergePreview } from "#contracts/http/merge.ts";
import type { Asker } from "#infra/kernel/asker.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import { type ChunkStream, useChunks } from "../changes/chunks-of-thread.ts";
import type { MergeRequest } from "./merge-plan.ts";
import type * as tasks from "./merge-worker.ts";
import type { MergeBegin, MergeEnd, MergeTask } from "./merge-worker.ts";

/** A running merge, whose groups are known; the merged events come as chunks. */
export type RunningMerge = MergeBegin & ChunkStream<MergeEnd>;

/** Merges in worker threads, each with its own database connection. */
export type Merger = {
  /**
   * Passes the merged events to `use`, in chunks; chunks that are not read are not merged.
   * @throws QueueFull; Refusal NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason; errors of `use`
   */
  readonly merge: <T>(
    request: MergeRequest,
    asker: Asker,
    use: (merge: RunningMerge) => Promise<T>,
  ) => Promise<T>;
  /** @throws QueueFull; Refusal NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason */
  readonly preview: (request: MergeRequest, asker: Asker) => Promise<MergePreview>;
};

export function createMerger(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl }: Pick<MergeTask, "databaseUrl">,
): Merger {
  return {
    merge: (request, asker, use) =>
      useChunks(threads.stream("streamMerged", { ...request, databaseUrl }, asker), use),
    preview: (request, asker) => threads.run("previewMerged", { ...request, databaseUrl }, asker),
  };
}
