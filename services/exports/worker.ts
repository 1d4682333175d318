/** Entry point of the threads that write exports: a large file must not block other requests. */

import type { BinaryPiece } from "#infra/formats/columnar/batch.ts";
import { type Link, workerStream, workerTask } from "#infra/threads/task.ts";
import { openColumnarFileWriter, openTableFileWriter } from "./tables.ts";
import {
  type ColumnsTask,
  createBulletinFileWriter,
  createTextFileWriter,
  type DocumentTask,
  type EventTask,
  type FilePiece,
  type FileTask,
  type FileWriter,
  isColumnar,
  isOfBulletins,
  isTable,
  LONG_PIECE,
  writeColumns,
  writeDocument,
  writeEvent,
} from "./writers.ts";

/** Makes pieces of the file from pieces of rows, in the form that `copyFormOf` tells. */
export const writeFile = workerStream(write, { moved: buffersOf });

/** Makes columns from pieces of rows, in the form that `columnsCopyForm` tells. */
export const writeColumnsOf = workerStream(
  (task: ColumnsTask, { input }) => writeColumns(task, input),
  { moved: ({ buffer }) => [buffer as ArrayBuffer] },
);

/** Makes the document of one event. */
export const writeDocumentOf = workerStream(writeEncoded, {
  moved: ({ buffer }) => [buffer],
});

/** Makes the JSON of one event with its bulletin. */
export const writeEventOf = workerTask(
  (task: EventTask) => new TextEncoder().encode(writeEvent(task)),
  { moved: ({ buffer }) => [buffer] },
);

async function* writeEncoded(task: DocumentTask): AsyncGenerator<BinaryPiece, void> {
  const encoder = new TextEncoder();
  for (const piece of writeDocument(task)) yield encoder.encode(piece);
}

async function* write(
  task: FileTask,
  { input }: Pick<Link, "input">,
): AsyncGenerator<FilePiece[], void> {
  const writer = await openFileWriter(task);
  for await (const bytes of input) yield writer.take(bytes).map(moveable);
  yield writer.end().map(moveable);
}

/** Long text as bytes, which move to the other thread where text would be copied twice. */
function moveable(piece: FilePiece): FilePiece {
  const isLong = typeof piece === "string" && piece.length >= LONG_PIECE;
  return isLong ? new TextEncoder().encode(piece) : piece;
}

function openFileWriter(task: FileTask): FileWriter | Promise<FileWriter> {
  if (isTable(task)) return openTableFileWriter(task);
  if (isOfBulletins(task)) return createBulletinFileWriter(task);
  return isColumnar(task) ? openColumnarFileWriter(task) : createTextFileWriter(task);
}

function buffersOf(pieces: readonly FilePiece[]): ArrayBuffer[] {
  return pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.buffer]));
}
