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

/** A running merge, whose groups are known; the merged events come as chunks. */
export type RunningMerge = MergeBegin & {
  /** Can be read once. */
  readonly chunks: AsyncGenerator<EncodedChunk>;
  /** The result, after the last chunk. */
  readonly end: () => Promise<MergeEnd>;
};

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
        // Ends the thread immediately, including its transaction.
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
