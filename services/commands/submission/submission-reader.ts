import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { ApiError } from "#contracts/errors.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { createWorkerThreads } from "../../worker-threads.ts";
import { receiveChunks } from "../chunk-port.ts";
import type {
  BodyRefusal,
  ReadColumns,
  readColumns,
  SubmissionBegin,
  SubmissionEnd,
  SubmissionTask,
  streamChunks,
} from "./submission-worker.ts";

/** A body that is being read: the envelope is known, the events come as chunks. */
export type ChunkedSubmission = {
  readonly envelope: unknown;
  /** How many events were submitted; null when the body has no list of events. */
  readonly count: number | null;
  /** To be read once. */
  readonly chunks: AsyncGenerator<EncodedChunk>;
  /** What was read, once the chunks are through. */
  readonly end: () => Promise<SubmissionEnd>;
};

/** Reads bodies with seismic events in worker threads. */
export type SubmissionReader = {
  /**
   * Gives `use` the body in chunks; what it leaves unread is not read.
   * @throws ApiError INVALID_JSON, TOO_MANY_EVENTS, and whatever `use` throws
   */
  readonly asChunks: <T>(
    bytes: Buffer,
    use: (submission: ChunkedSubmission) => Promise<T>,
  ) => Promise<T>;
  /** @throws ApiError INVALID_JSON, TOO_MANY_EVENTS */
  readonly asColumns: (bytes: Buffer) => Promise<ReadColumns>;
  readonly close: () => Promise<void>;
};

export type SubmissionReaderOptions = {
  readonly maxEvents: number;
  readonly now: () => Date;
};

const MINUTE = 60_000;
/** What lies beside the events is parsed in one go: 100 MB take a second or two. */
const STUCK_AFTER_SECONDS = 60;
const AS_CHUNKS = "streamChunks" satisfies (typeof streamChunks)["name"];
const AS_COLUMNS = "readColumns" satisfies (typeof readColumns)["name"];

export function createSubmissionReader(options: SubmissionReaderOptions): SubmissionReader {
  const { maxEvents, now } = options;
  const workers = createWorkerThreads({
    entry: new URL("./submission-worker.ts", import.meta.url),
    maxThreads: availableParallelism(),
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
    // A thread takes 25 MiB and a fifth of a second to start: kept while somebody edits.
    idleTimeout: 5 * MINUTE,
  });
  const taskOf = (bytes: Buffer): SubmissionTask => ({ bytes, maxEvents, nowMs: now().getTime() });

  return {
    asChunks: async (bytes, use) => {
      const { port1, port2 } = new MessageChannel();
      const task = { ...taskOf(bytes), port: port2 };
      const transferList = [...transferable(bytes), port2];
      const result = workers.run<SubmissionEnd | BodyRefusal>(task, {
        name: AS_CHUNKS,
        transferList,
      });
      try {
        return await use(await receive(port1, result));
      } finally {
        port1.close();
      }
    },
    asColumns: async (bytes) => {
      const transferList = transferable(bytes);
      return settle<ReadColumns>(
        await workers.run<ReadColumns | BodyRefusal>(taskOf(bytes), {
          name: AS_COLUMNS,
          transferList,
        }),
      );
    },
    close: () => workers.close(),
  };
}

async function receive(
  port: MessagePort,
  result: Promise<SubmissionEnd | BodyRefusal>,
): Promise<ChunkedSubmission> {
  const end = async (): Promise<SubmissionEnd> => settle(await result);
  const { begin, chunks } = await receiveChunks<SubmissionBegin>(port, result);
  if (begin === null) {
    await end();
    throw new Error("the body was read without its beginning");
  }
  return { ...begin, chunks, end };
}

/** A buffer cut from a shared pool is copied: moving it would take its neighbours along. */
function transferable(bytes: Buffer): ArrayBuffer[] {
  const { buffer } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isOwn ? [buffer] : [];
}

function settle<T extends object>(result: T | BodyRefusal): T {
  if ("code" in result) throw new ApiError(result.code, result.message);
  return result;
}
