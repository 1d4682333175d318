import { MessageChannel } from "node:worker_threads";
import { Refusal } from "#contracts/errors.ts";
import { createSpool, type Spool } from "#infra/files/spool.ts";
import { exchangePieces } from "#infra/threads/pieces.ts";
import { createWorkerThreads, TaskStuck } from "#infra/threads/pool.ts";
import type { parseUpload, UploadEnd, UploadTask } from "./upload-worker.ts";

export type ParsedUpload = {
  readonly end: Exclude<UploadEnd, { outcome: "abandoned" }>;
  /** The rows as JSON, separated by commas. */
  readonly rows: Spool;
};

/** Parses uploaded files in worker threads. */
export type UploadParser = {
  /**
   * Reads `file` and discards it. Rows are spooled, since only the end of the file decides whether
   * the answer is a success.
   * @param signal ends the parsing
   * @throws Refusal PARSE_ERROR when parsing makes no progress; the signal's reason
   */
  readonly parse: (
    file: Spool,
    options: Pick<UploadTask, "extension" | "delimiter">,
    signal: AbortSignal,
  ) => Promise<ParsedUpload>;
  readonly close: () => Promise<void>;
};

const TASK = "parseUpload" satisfies (typeof parseUpload)["name"];
/** Each has one file at a time, so a hostile file that ends its thread ends no other upload. */
const MAX_THREADS = 2;
/**
 * A piece of a file takes milliseconds, a JSON object of 4 MiB with hundreds of thousands of members
 * a second.
 */
const STUCK_AFTER_SECONDS = 60;
/** Several times the memory for such an object. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 512 };

/** @param maxAnswerBytes limit of a file's rows as JSON */
export function createUploadParser({
  maxAnswerBytes,
}: Pick<UploadTask, "maxAnswerBytes">): UploadParser {
  const workers = createWorkerThreads({
    entry: new URL("./upload-worker.ts", import.meta.url),
    maxThreads: MAX_THREADS,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
    resourceLimits: HEAP_LIMITS,
  });
  return {
    async parse(file, options, signal) {
      const { port1, port2 } = new MessageChannel();
      const task: UploadTask = { ...options, maxAnswerBytes, port: port2 };
      const result = workers.run<UploadEnd>(task, { name: TASK, transferList: [port2], signal });
      const rows = createSpool();
      try {
        const parsed = exchangePieces<Uint8Array>(port1, file.read(), result);
        for await (const piece of parsed) await rows.write(piece);
        const end = await result;
        if (end.outcome === "abandoned") throw new Error("the worker gave an upload up");
        return { end, rows };
      } catch (error) {
        await rows.discard();
        signal.throwIfAborted();
        if (!(error instanceof TaskStuck)) throw error;
        throw new Refusal("PARSE_ERROR", "Reading the file made no progress", { cause: error });
      } finally {
        port1.close();
        await file.discard();
        // Its error was thrown already, or results from the port's closing.
        await result.catch(() => {});
      }
    },
    close: () => workers.close(),
  };
}
