import { MessageChannel } from "node:worker_threads";
import { exchangePieces } from "#infra/threads/pieces.ts";
import { createWorkerThreads, type WorkerThreads } from "#infra/threads/pool.ts";
import type { ExportTask, writeFile } from "./export-worker.ts";
import { createFileWriter, type FileTask } from "./file-writer.ts";

/** Writes exported files, large ones in worker threads. */
export type Exporter = {
  /**
   * The file for `rows`, the text of its events' rows, which are fetched on demand.
   * @throws errors of `rows`; Error when the number of rows differs from the announced one
   */
  readonly write: (task: FileTask, rows: AsyncIterable<Uint8Array>) => AsyncGenerator<string>;
  readonly close: () => Promise<void>;
};

/** Written within 20 ms, faster than a thread starts. */
const SMALL = 2_000;
/**
 * Many times the rows and texts of some exports. Without a limit V8 would let garbage grow by
 * another 20 MiB before collecting it.
 */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 128 };
/** A piece of rows takes milliseconds. */
const STUCK_AFTER_SECONDS = 30;
const TASK = "writeFile" satisfies (typeof writeFile)["name"];

export function createExporter(): Exporter {
  const workers = createWorkerThreads({
    entry: new URL("./export-worker.ts", import.meta.url),
    maxThreads: 1,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
    resourceLimits: HEAP_LIMITS,
    // An export mostly waits for its client, while others are written.
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
    // Its error was thrown already, or results from the port's closing.
    await result.catch(() => {});
  }
}
