import { createWorkerThreads } from "#infra/threads/pool.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import type * as tasks from "./export-worker.ts";
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

export function createExporter(): Exporter {
  const workers = createWorkerThreads<typeof tasks>({
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
  workers: WorkerThreads<typeof tasks>,
  task: FileTask,
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  for await (const pieces of workers.stream("writeFile", task, { input })) yield* pieces;
}
