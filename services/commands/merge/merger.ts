import { MessageChannel } from "node:worker_threads";
import { Refusal } from "#contracts/errors.ts";
import type { MergePreview } from "#contracts/http/merge.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import { receiveChunks } from "../chunk-port.ts";
import type { MergeRequest } from "./merge-plan.ts";
import type {
  MergeBegin,
  MergeEnd,
  MergeRefusal,
  MergeTask,
  previewMerged,
  streamMerged,
} from "./merge-worker.ts";

/** A merge whose groups are known; the merged events come as chunks. */
export type RunningMerge = MergeBegin & {
  /** To be read once. */
  readonly chunks: AsyncGenerator<EncodedChunk>;
  /** What was merged, once the chunks are through. */
  readonly end: () => Promise<MergeEnd>;
};

/** Merges in worker threads, each on a database connection of its own. */
export type Merger = {
  /**
   * Gives `use` the merged events in chunks; what it leaves unread is not merged.
   * @throws Refusal NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason; whatever `use` throws
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

/** Merges that run at once; others wait. Each holds what grouping needs of all its events. */
const MAX_MERGES = 2;
/**
 * Grouping is one computation: five million events take two seconds, and each crowd of ten million pairs,
 * the most that are taken, ten more.
 */
const STUCK_AFTER_SECONDS = 300;
const MERGE = "streamMerged" satisfies (typeof streamMerged)["name"];
const PREVIEW = "previewMerged" satisfies (typeof previewMerged)["name"];

export function createMerger({ databaseUrl }: Pick<MergeTask, "databaseUrl">): Merger {
  const workers = createWorkerThreads({
    entry: new URL("./merge-worker.ts", import.meta.url),
    maxThreads: MAX_MERGES,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  });
  return {
    merge: async (request, signal, use) => {
      signal.throwIfAborted();
      const given = new AbortController();
      const { port1, port2 } = new MessageChannel();
      const task = { ...request, databaseUrl, port: port2 };
      const result: Promise<MergeEnd | MergeRefusal> = workers.run(task, {
        name: MERGE,
        transferList: [port2],
        // Ends the thread in the middle of whatever it does, and its transaction with it.
        signal: AbortSignal.any([signal, given.signal]),
      });
      try {
        const end = async (): Promise<MergeEnd> => settle(await result);
        const { begin, chunks } = await receiveChunks<MergeBegin>(port1, result);
        if (begin === null) {
          await end();
          throw new Error("a merge ended before its beginning");
        }
        return await use({ ...begin, chunks, end });
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        given.abort();
        port1.close();
        await result.catch(() => {});
      }
    },
    preview: async (request) => {
      const task: MergeTask = { ...request, databaseUrl };
      return settle<MergePreview>(
        await workers.run<MergePreview | MergeRefusal>(task, { name: PREVIEW }),
      );
    },
    close: () => workers.close(),
  };
}

function settle<T extends object>(result: T | MergeRefusal): T {
  if ("code" in result) throw new Refusal(result.code, result.message);
  return result;
}
