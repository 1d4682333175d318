import { MessageChannel } from "node:worker_threads";
import { createSpool, type Spool } from "#infra/files/spool.ts";
import { createWorkerThreads } from "../../worker-threads.ts";
import { exchangePieces } from "../piece-port.ts";
import type { parseUpload, UploadEnd, UploadTask } from "./upload-worker.ts";

export type ParsedUpload = {
  readonly end: Exclude<UploadEnd, { outcome: "abandoned" }>;
  /** The rows as JSON, separated by commas. */
  readonly rows: Spool;
};

/** Parses uploaded files in worker threads. */
export type UploadParser = {
  /**
   * Reads `file` to its end, piece by piece as it is parsed; a fault of `file` is thrown on.
   * Rows are spooled: whether the answer is one of success is known only at the end.
   */
  readonly parse: (
    file: AsyncIterable<Uint8Array>,
    options: Omit<UploadTask, "port">,
  ) => Promise<ParsedUpload>;
  readonly close: () => Promise<void>;
};

const TASK = "parseUpload" satisfies (typeof parseUpload)["name"];

export function createUploadParser(): UploadParser {
  const workers = createWorkerThreads({
    entry: new URL("./upload-worker.ts", import.meta.url),
    maxThreads: 2,
    // A slow upload waits for its client most of the time: others are parsed meanwhile.
    concurrentTasksPerWorker: 32,
  });
  return {
    async parse(file, options) {
      const { port1, port2 } = new MessageChannel();
      const task: UploadTask = { ...options, port: port2 };
      const result: Promise<UploadEnd> = workers.run(task, { name: TASK, transferList: [port2] });
      const rows = createSpool();
      try {
        const parsed = exchangePieces<Uint8Array>(port1, file, result);
        for await (const piece of parsed) await rows.write(piece);
        const end = await result;
        if (end.outcome === "abandoned") throw new Error("the worker gave an upload up");
        return { end, rows };
      } catch (error) {
        await rows.discard();
        throw error;
      } finally {
        port1.close();
        // Its fault is either thrown already or follows from the port's closing.
        await result.catch(() => {});
      }
    },
    close: () => workers.close(),
  };
}
