import { MessageChannel } from "node:worker_threads";
import { exchangePieces } from "#infra/threads/pieces.ts";
import { createWorkerThreads, type WorkerThreads } from "#infra/threads/pool.ts";
import type { ExportTask, writeFile } from "./export-worker.ts";
import { createFileWriter, type FileTask } from "./file-writer.ts";

/** Writes exported files, large ones in worker threads. */
export type Exporter = {
  /**
   * The file of `rows`, the text of its events' rows; what is not asked for is not fetched.
   * @throws whatever `rows` throws; Error when the rows were not as many as announced
   */
  readonly write: (task: FileTask, rows: AsyncIterable<Uint8Array>) => AsyncGenerator<string>;
  readonly close: () => Promise<void>;
};

/** Written sooner, within 20 ms, than a thread is started. */
const SMALL = 2_000;
/**
 * Many times what the rows and texts of some exports take. Without a limit V8 lets 20 MiB more of garbage
 * pile up before it looks for any.
 */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 128 };
/** Pieces of rows take milliseconds each. */
const STUCK_AFTER_SECONDS = 30;
const TASK = "writeFile" satisfies (typeof writeFile)["name"];

export function createExporter(): Exporter {
  const workers = createWorkerThreads({
    entry: new URL("./export-worker.ts", import.meta.url),
    maxThreads: 1,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
    resourceLimits: HEAP_LIMITS,
    // An export waits for its client most of the time: others are written meanwhile.
    concurrentTasksPerWorker: 32,
  });
  return {
    write: (task, rows) =>
      task.count > SMALL ? writeInThread(workers, task, rows) : writeHere(task, rows),
    close: () => workers.close(),
  };
}

async function* writeHere(task: FileTask, rows: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const writer = createFileWriter(task);
  for await (const bytes of rows) yield* writer.take(bytes);
  yield writer.end();
}

async function* writeInThread(
  workers: WorkerThreads,
  task: FileTask,
  rows: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  const { port1, port2 } = new MessageChannel();
  const given: ExportTask = { ...task, port: port2 };
  const result: Promise<void> = workers.run(given, { name: TASK, transferList: [port2] });
  try {
    for await (const pieces of exchangePieces<string[]>(port1, rows, result)) yield* pieces;
    await result;
  } finally {
    port1.close();
    // Its fault is either thrown already or follows from the port's closing.
    await result.catch(() => {});
  }
}
