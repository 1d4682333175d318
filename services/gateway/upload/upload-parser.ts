import { on } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";
import { createSpool, type Spool } from "#infra/files/spool.ts";
import type {
  ParsedPiece,
  parseUpload,
  UploadEnd,
  UploadPiece,
  UploadTask,
} from "./upload-worker.ts";

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
  const workers = new Piscina({
    filename: new URL("./upload-worker.ts", import.meta.url).href,
    minThreads: 0,
    maxThreads: 2,
    idleTimeout: 30_000,
    // A slow upload waits for its client most of the time: others are parsed meanwhile.
    concurrentTasksPerWorker: 32,
    atomics: "disabled",
  });
  return {
    async parse(file, options) {
      const { port1, port2 } = new MessageChannel();
      const task: UploadTask = { ...options, port: port2 };
      const result: Promise<UploadEnd> = workers.run(task, { name: TASK, transferList: [port2] });
      const rows = createSpool();
      try {
        await exchange(port1, file, rows, result);
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

/** Sends the file piece by piece; stops early when the worker has. */
async function exchange(
  port: MessagePort,
  file: AsyncIterable<Uint8Array>,
  rows: Spool,
  result: Promise<UploadEnd>,
): Promise<void> {
  // A worker that fails closes its port; the fault is then thrown where the result is awaited.
  result.catch(() => port.close());
  const answers = on(port, "message", { close: ["close"] }) as AsyncIterator<[ParsedPiece]>;
  const parsed = async (piece: UploadPiece): Promise<boolean> => {
    port.postMessage(piece);
    const answer = await answers.next();
    if (answer.done) return false;
    await rows.write(answer.value[0].rows);
    return true;
  };
  for await (const bytes of file) if (!(await parsed({ bytes }))) return;
  await parsed({ end: true });
}
