import { availableParallelism } from "node:os";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import type { ChangeTarget } from "../changes/changes.ts";
import { type ChunkStream, useChunks } from "../chunk-stream.ts";
import type * as tasks from "./submission-worker.ts";
import type { SubmissionBegin, SubmissionEnd, SubmissionTask } from "./submission-worker.ts";

/** A body being read: the envelope is known, the events come as chunks. */
export type ChunkedSubmission = SubmissionBegin & ChunkStream<SubmissionEnd>;

/** Reads bodies with seismic events in worker threads. */
export type SubmissionReader = {
  /**
   * Passes the changes that the body's events make in `target` to `use`, in chunks; chunks that are
   * not read are not made. The same body may be passed again.
   * @param target null for a new catalogue
   * @throws Refusal INVALID_JSON, TOO_MANY_EVENTS, UNAVAILABLE; errors of `use`
   */
  readonly asChunks: <T>(
    bytes: Buffer,
    target: ChangeTarget | null,
    use: (submission: ChunkedSubmission) => Promise<T>,
  ) => Promise<T>;
  readonly close: () => Promise<void>;
};

export type SubmissionReaderOptions = Pick<SubmissionTask, "databaseUrl" | "maxEvents"> & {
  readonly now: () => Date;
};

/** The envelope is parsed in one step: 100 MB take a second or two. */
const STUCK_AFTER_SECONDS = 60;

export function createSubmissionReader({
  now,
  ...options
}: SubmissionReaderOptions): SubmissionReader {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./submission-worker.ts", import.meta.url),
    maxThreads: availableParallelism(),
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  });
  return {
    asChunks: (bytes, target, use) => {
      const task = { ...options, bytes, target, nowMs: now().getTime() };
      return useChunks(workers.stream("streamChunks", task), use);
    },
    close: () => workers.close(),
  };
}
