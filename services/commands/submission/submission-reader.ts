import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Refusal } from "#contracts/errors.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import type { ChangeTarget } from "../changes/changes.ts";
import { receiveChunks } from "../chunk-port.ts";
import type {
  BodyRefusal,
  SubmissionBegin,
  SubmissionEnd,
  SubmissionTask,
  streamChunks,
} from "./submission-worker.ts";

/** A body being read: the envelope is known, the events come as chunks. */
export type ChunkedSubmission = {
  readonly envelope: unknown;
  /** Number of submitted events; null when the body has no list of events. */
  readonly count: number | null;
  /** Can be read once. */
  readonly chunks: AsyncGenerator<EncodedChunk>;
  /** The result, after the last chunk. */
  readonly end: () => Promise<SubmissionEnd>;
};

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

export type SubmissionReaderOptions = {
  /** Database for lookups of events that a catalogue may have already. */
  readonly databaseUrl: string;
  readonly maxEvents: number;
  readonly now: () => Date;
};

/** The envelope is parsed in one step: 100 MB take a second or two. */
const STUCK_AFTER_SECONDS = 60;
const TASK = "streamChunks" satisfies (typeof streamChunks)["name"];

export function createSubmissionReader(options: SubmissionReaderOptions): SubmissionReader {
  const { databaseUrl, maxEvents, now } = options;
  const workers = createWorkerThreads({
    entry: new URL("./submission-worker.ts", import.meta.url),
    maxThreads: availableParallelism(),
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  });

  return {
    asChunks: async (bytes, target, use) => {
      const { port1, port2 } = new MessageChannel();
      const nowMs = now().getTime();
      const task: SubmissionTask & ChunkPort = {
        bytes,
        maxEvents,
        nowMs,
        databaseUrl,
        target,
        port: port2,
      };
      const result = workers.run<SubmissionEnd | BodyRefusal>(task, {
        name: TASK,
        transferList: [port2],
      });
      try {
        return await use(await receive(port1, result));
      } finally {
        port1.close();
      }
    },
    close: () => workers.close(),
  };
}

type ChunkPort = { readonly port: MessagePort };

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

/** @throws Refusal */
function settle(result: SubmissionEnd | BodyRefusal): SubmissionEnd {
  if ("code" in result) throw new Refusal(result.code, result.message);
  return result;
}
