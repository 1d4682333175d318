import { QUICK_BULLETIN_BYTES } from "#infra/bulletins/packed-bulletin.ts";
import type { BinaryPiece } from "#infra/formats/columnar/batch.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { CopyForm } from "#infra/postgres/copy/copy-out.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import { type ColumnsTask, columnsCopyForm, writeColumns } from "./columns-task.ts";
import { type DocumentTask, writeDocument } from "./document-task.ts";
import { type EventTask, writeEvent } from "./event-task.ts";
import type * as tasks from "./export-worker.ts";
import {
  copyFormOf,
  type FacadeTask,
  type FilePiece,
  type FileTask,
  hasBulletins,
  isColumnar,
  isOfBulletins,
  isTable,
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
    asker: Asker,
  ) => AsyncGenerator<FilePiece>;
  /** The document of one event. @throws CorruptBulletin */
  readonly writeDocument: (task: DocumentTask, asker: Asker) => AsyncGenerator<string | Uint8Array>;
  /** An event's JSON with its bulletin. @throws CorruptBulletin */
  readonly writeEvent: (task: EventTask, asker: Asker) => Promise<Buffer>;
  /** The columns for `rows`. The first piece comes after the last row. @throws errors of `rows`; Refusal */
  readonly writeColumns: (
    task: ColumnsTask,
    rows: (form: CopyForm) => AsyncIterable<Uint8Array>,
    asker: Asker,
  ) => AsyncGenerator<Uint8Array>;
};

/** Written as text within 20 ms, faster than a thread starts. */
const SMALL = 2_000;

/** The threads that write what is made of rows, and what is made of bulletins. */
export type ExportThreads = Readonly<
  Record<"exports" | "wholeExports", WorkerThreads<typeof tasks>>
>;

export function createExporter({ exports, wholeExports }: ExportThreads): Exporter {
  return {
    write(task, rowsAs, asker) {
      const rows = rowsAs(copyFormOf(task));
      // A bulletin may be large, and so is then what is made of it.
      if (isTable(task) || isOfBulletins(task) || hasBulletins(task)) {
        return writeInThread(wholeExports, task, rows, asker);
      }
      // Columnar formats come with libraries of some 10 MiB, which stay in the thread.
      if (isColumnar(task)) return writeInThread(exports, task, rows, asker);
      const isSmall = task.count !== null && task.count <= SMALL;
      return isSmall ? writeHere(task, rows) : writeInThread(exports, task, rows, asker);
    },
    writeDocument(task, asker) {
      if (task.bytes <= QUICK_BULLETIN_BYTES) return inOrder(writeDocument(task));
      return inParts(wholeExports.stream("writeDocumentOf", task, asker));
    },
    async writeEvent(task, asker) {
      if (task.bytes <= QUICK_BULLETIN_BYTES) return Buffer.from(writeEvent(task));
      const { buffer } = await wholeExports.run("writeEventOf", task, asker);
      return Buffer.from(buffer);
    },
    writeColumns(task, rowsAs, asker) {
      const rows = rowsAs(columnsCopyForm(task));
      if (task.count <= SMALL) return writeColumns(task, rows);
      return exports.stream("writeColumnsOf", task, asker, { input: rows });
    },
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
  threads: WorkerThreads<typeof tasks>,
  task: FileTask,
  input: AsyncIterable<Uint8Array>,
  asker: Asker,
): AsyncGenerator<FilePiece> {
  for await (const pieces of threads.stream("writeFile", task, asker, { input })) {
    for (const piece of pieces) {
      if (typeof piece === "string") yield piece;
      else yield* partsOf(piece);
    }
  }
}

/** A batch may be megabytes, of which a slow client's socket takes a little at a time. */
const PART_BYTES = 64 * 1024;

async function* inParts(pieces: AsyncIterable<BinaryPiece>): AsyncGenerator<BinaryPiece> {
  for await (const piece of pieces) yield* partsOf(piece);
}

function* partsOf(piece: BinaryPiece): Generator<BinaryPiece> {
  for (let at = 0; at < piece.length; at += PART_BYTES) yield piece.subarray(at, at + PART_BYTES);
}

async function* inOrder(pieces: Iterable<string>): AsyncGenerator<string> {
  yield* pieces;
}
