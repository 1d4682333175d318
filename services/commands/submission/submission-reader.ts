import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import { type ChunkStream, useChunks } from "../changes/chunks-of-thread.ts";
import type { CatalogueTarget, ChangeTarget } from "../changes/revision-changes.ts";
import type * as tasks from "./submission-worker.ts";
import type { SubmissionBegin, SubmissionEnd, SubmissionTask } from "./submission-worker.ts";

/** A body being read: the envelope is known, the events come as chunks. */
export type ChunkedSubmission = SubmissionBegin & ChunkStream<SubmissionEnd>;

/** A body, and the user who sent it: an upload that it names must be that user's. */
export type SubmittedBody = { readonly bytes: Buffer; readonly owner: string };

/** Reads bodies with seismic events in worker threads. */
export type SubmissionReader = {
  /**
   * Passes the changes that the body's events make in `target` to `use`, in chunks; chunks that are
   * not read are not made. The same body may be passed again.
   * @param target null for a new catalogue
   * @throws Refusal INVALID_JSON, TOO_MANY_EVENTS, UNAVAILABLE; of an upload NOT_FOUND,
   * VALIDATION_ERROR; errors of `use`
   */
  readonly asChunks: <T>(
    body: SubmittedBody,
    target: CatalogueTarget | null,
    asker: Asker,
    use: (submission: ChunkedSubmission) => Promise<T>,
  ) => Promise<T>;
  /**
   * Passes the change that a body with a bulletin makes of an event to `use`.
   * @throws Refusal INVALID_JSON, UNAVAILABLE; errors of `use`
   */
  readonly asReplacement: <T>(
    body: SubmittedBulletin,
    target: ChangeTarget,
    asker: Asker,
    use: (submission: ChunkedSubmission) => Promise<T>,
  ) => Promise<T>;
};

/** The bulletin that a body has, for an event of a version. */
export type SubmittedBulletin = { readonly bytes: Buffer; readonly eventId: string };

export type SubmissionReaderOptions = Pick<SubmissionTask, "databaseUrl" | "maxEvents"> & {
  readonly now: () => Date;
};

export function createSubmissionReader(
  threads: WorkerThreads<typeof tasks>,
  { now, ...options }: SubmissionReaderOptions,
): SubmissionReader {
  return {
    asChunks: (body, target, asker, use) => {
      const task = { ...options, ...body, target, nowMs: now().getTime() };
      return useChunks(threads.stream("streamChunks", task, asker), use);
    },
    asReplacement: (body, target, asker, use) => {
      const { databaseUrl } = options;
      const task = { databaseUrl, ...body, target, nowMs: now().getTime() };
      return useChunks(threads.stream("streamReplacement", task, asker), use);
    },
  };
}
