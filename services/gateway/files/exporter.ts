import type { BinaryPiece } from "#infra/formats/columnar/columnar-writer.ts";
import type { CopyForm } from "#infra/postgres/copy/copy-out.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import { type ColumnsTask, columnsCopyForm, writeColumns } from "./columns-task.ts";
import type * as tasks from "./export-worker.ts";
import {
  copyFormOf,
  type FacadeTask,
  type FilePiece,
  type FileTask,
  isColumnar,
  type TextTask,
} from "./file-writer.ts";
import { createTextFileWriter } from "./text-file-writer.ts";

/** Writes exported files and columns, large and columnar ones in worker threads. */
export type Exporter = {
  /**
   * The file for `rows`, those of its events as COPY writes them, which are fetched on demand.
   * @throws errors of `rows`; Error when the number of rows differs from the announced one
   */
  readonly write: (
    task: FileTask,
    rows: (form: CopyForm) => AsyncIterable<Uint8Array>,
  ) => AsyncGenerator<FilePiece>;
  /** The columns for `rows`. The first piece comes after the last row. @throws errors of `rows`; Refusal */
  readonly writeColumns: (
    task: ColumnsTask,
    rows: (form: CopyForm) => AsyncIterable<Uint8Array>,
  ) => AsyncGenerator<Uint8Array>;
  readonly close: () => Promise<void>;
};

/** Written as text within 20 ms, faster than a thread starts. */
const SMALL = 2_000;
/**
 * Several times the rows and texts of some exports, and twice what a columnar batch needs. Without a
 * limit V8 would let garbage grow by tens of MiB before collecting it.
 */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64 };
/** A piece of rows takes milliseconds. */
const STUCK_AFTER_SECONDS = 30;

export function createExporter(): Exporter {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./export-worker.ts", import.meta.url),
    maxThreads: 1,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
    resourceLimits: HEAP_LIMITS,
    // An export mostly waits for its client, while others are written; so do columns, in files.
    concurrentTasksPerWorker: 512,
  });
  return {
    write(task, rowsAs) {
      const rows = rowsAs(copyFormOf(task));
      // Columnar formats come with libraries of some 10 MiB, which stay in the thread.
      if (isColumnar(task)) return writeInThread(workers, task, rows);
      const isSmall = task.count !== null && task.count <= SMALL;
      return isSmall ? writeHere(task, rows) : writeInThread(workers, task, rows);
    },
    writeColumns(task, rowsAs) {
      const rows = rowsAs(columnsCopyForm(task));
      if (task.count <= SMALL) return writeColumns(task, rows);
      return workers.stream("writeColumnsOf", task, { input: rows });
    },
    close: () => workers.close(),
  };
}

async function* writeHere(
  task: TextTask | FacadeTask,
  rows: AsyncIterable<Uint8Array>,
): AsyncGenerator<FilePiece> {
  const writer = createTextFileWriter(task);
  for await (const bytes of rows) yield* writer.take(bytes);
  yield* writer.end();
}

async function* writeInThread(
  workers: WorkerThreads<typeof tasks>,
  task: FileTask,
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<FilePiece> {
  for await (const pieces of workers.stream("writeFile", task, { input })) {
    for (const piece of pieces) {
      if (typeof piece === "string") yield piece;
      else yield* partsOf(piece);
    }
  }
}

/** A batch may be megabytes, of which a slow client's socket takes a little at a time. */
const PART_BYTES = 64 * 1024;

function* partsOf(piece: BinaryPiece): Generator<BinaryPiece> {
  for (let at = 0; at < piece.length; at += PART_BYTES) yield piece.subarray(at, at + PART_BYTES);
}
