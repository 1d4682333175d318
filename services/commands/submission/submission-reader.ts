import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { ApiError } from "#contracts/errors.ts";
import type { ValidationReport } from "#contracts/http/catalogues.ts";
import type { EventColumns } from "#contracts/seismic-event/event-columns.ts";
import type { SubmissionLimits } from "./read-submission.ts";
import {
  type ChunkedContent,
  type Read,
  readAsChunks,
  readAsColumns,
  type SubmissionTask,
} from "./submission-worker.ts";

/** Below it, reading takes less time than handing the body to another thread. */
const INLINE_BYTES = 32 * 1024;

export type ReadSubmission<T> = {
  readonly envelope: unknown;
  /** Null when the body has no list of events. */
  readonly report: ValidationReport | null;
  readonly content: T;
};

/** Reads bodies with seismic events, large ones in worker threads. */
export type SubmissionReader = {
  /** @throws ApiError INVALID_JSON, TOO_MANY_EVENTS */
  readonly asChunks: (bytes: Buffer) => Promise<ReadSubmission<ChunkedContent>>;
  /** @throws ApiError INVALID_JSON, TOO_MANY_EVENTS */
  readonly asColumns: (bytes: Buffer) => Promise<ReadSubmission<EventColumns>>;
  readonly close: () => Promise<void>;
};

export type SubmissionReaderOptions = {
  readonly maxEvents: number;
  readonly now: () => Date;
};

export function createSubmissionReader(options: SubmissionReaderOptions): SubmissionReader {
  const { maxEvents, now } = options;
  const workers = new Piscina({
    filename: new URL("./submission-worker.ts", import.meta.url).href,
    minThreads: 0,
    maxThreads: availableParallelism(),
    idleTimeout: 30_000,
  });
  const limits = (): SubmissionLimits => ({ maxEvents, nowMs: now().getTime() });

  async function read<T>(
    bytes: Buffer,
    name: string,
    inline: (task: SubmissionTask) => Read<T>,
  ): Promise<ReadSubmission<T>> {
    const task = { bytes, limits: limits() };
    if (bytes.byteLength < INLINE_BYTES) return settle(inline(task), maxEvents);
    const result: Read<T> = await workers.run(task, { name, transferList: transferable(bytes) });
    return settle(result, maxEvents);
  }

  return {
    asChunks: (bytes) => read(bytes, readAsChunks.name, readAsChunks),
    asColumns: (bytes) => read(bytes, readAsColumns.name, readAsColumns),
    close: () => workers.close(),
  };
}

/** A buffer cut from a shared pool is copied: moving it would take its neighbours along. */
function transferable(bytes: Buffer): ArrayBuffer[] {
  const { buffer } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isOwn ? [buffer] : [];
}

function settle<T>(result: Read<T>, maxEvents: number): ReadSubmission<T> {
  if (result.invalidJson !== null) throw new ApiError("INVALID_JSON", result.invalidJson);
  const { submission, content } = result;
  if (submission.tooManyEvents) {
    throw new ApiError("TOO_MANY_EVENTS", `More than ${maxEvents} events in one request`);
  }
  return { envelope: submission.envelope, report: submission.report, content };
}
