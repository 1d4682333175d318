import type { COLUMNS_FORMS } from "#contracts/http/events/event-columns.ts";
import {
  type ColumnsHead,
  type ColumnsWriter,
  createJsonColumns,
  createPackedColumns,
} from "#infra/formats/columnar/packed-columns.ts";
import { createTextCopyReader } from "#infra/postgres/copy/copied-rows.ts";
import type { CopyForm } from "#infra/postgres/copy/copy-out.ts";
import { toColumnRow } from "#projections/read/exports.ts";

export type ColumnsForm = keyof typeof COLUMNS_FORMS;

/** Columns to be written. */
export type ColumnsTask = ColumnsHead & {
  readonly form: ColumnsForm;
  /** Most events that there can be. */
  readonly count: number;
};

/** The form of the rows from which columns are made. */
export const columnsCopyForm = ({ form }: ColumnsTask): CopyForm =>
  form === "packed" ? "binary" : "text";

/** Columns from pieces of copied rows (projections/read/exports.ts), piece by piece. */
export async function* writeColumns(
  task: ColumnsTask,
  rows: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const writer = task.form === "packed" ? createPackedColumns(task) : columnsFromText(task);
  try {
    for await (const bytes of rows) await writer.take(bytes);
    yield* writer.pieces();
  } finally {
    await writer.discard();
  }
}

function columnsFromText(head: ColumnsHead): ColumnsWriter<Uint8Array> {
  const reader = createTextCopyReader();
  const toRow = toColumnRow(head.columns);
  const writer = createJsonColumns(head);
  return {
    ...writer,
    take: (bytes) => writer.take(reader.read(bytes).map(toRow)),
    pieces() {
      reader.end();
      return writer.pieces();
    },
  };
}
