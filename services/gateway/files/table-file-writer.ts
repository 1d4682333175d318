import { shownSolutions } from "#infra/formats/bulletin/parts.ts";
import { type TableRow, tableRowsOf } from "#infra/formats/tables/table-rows.ts";
import {
  createTableBatch,
  createTableCsvWriter,
  createTableJsonWriter,
  type TableWriter,
  tableLayout,
} from "#infra/formats/tables/table-writers.ts";
import { createTextCopyReader } from "#infra/postgres/copy/copied-rows.ts";
import { createEventBulletinReader } from "#projections/read/bulletins.ts";
import { COLUMNAR_WRITERS } from "./columnar-file-writer.ts";
import {
  type ColumnarFormat,
  ExportInterrupted,
  type FilePiece,
  type FileWriter,
  isColumnarFormat,
  type TableTask,
} from "./file-writer.ts";

/** Makes a table from rows of events with their bulletins, copied as text. */
export async function openTableFileWriter(task: TableTask): Promise<FileWriter> {
  const { table, tableFormat: format, count } = task;
  const reader = createTextCopyReader();
  const read = createEventBulletinReader();
  const rowsOf = tableRowsOf(table);
  const sink = isColumnarFormat(format) ? await columnSink(task, format) : textSink(task);
  let seen = 0;
  return {
    take(bytes) {
      const pieces: FilePiece[] = [];
      for (const row of reader.read(bytes)) {
        const { id, bulletin } = read(row);
        for (const one of rowsOf(id, bulletin, shownSolutions(bulletin))) sink.add(one, pieces);
        seen += 1;
      }
      sink.flush(pieces);
      return pieces;
    },
    end() {
      reader.end();
      if (seen !== count) throw new ExportInterrupted(seen, count);
      const pieces: FilePiece[] = [];
      sink.end(pieces);
      return pieces;
    },
  };
}

/** Writes rows; what becomes of them is added to `pieces` when it is enough for one. */
type RowSink = {
  readonly add: (row: TableRow, pieces: FilePiece[]) => void;
  /** After each piece of events. */
  readonly flush: (pieces: FilePiece[]) => void;
  readonly end: (pieces: FilePiece[]) => void;
};

/** Rows per piece of text. */
const IN_A_PIECE = 64;

function textSink({ table, tableFormat: format, head }: TableTask): RowSink {
  const writer: TableWriter =
    format === "csv" ? createTableCsvWriter(table) : createTableJsonWriter(table, head);
  let text = writer.begin();
  let open = 0;

  function flush(pieces: FilePiece[]): void {
    pieces.push(text);
    text = "";
    open = 0;
  }

  return {
    add(row, pieces) {
      text += writer.row(row);
      open += 1;
      if (open === IN_A_PIECE) flush(pieces);
    },
    flush,
    end: (pieces) => pieces.push(text + writer.end()),
  };
}

async function columnSink(
  { table, head, count }: TableTask,
  format: ColumnarFormat,
): Promise<RowSink> {
  const createWriter = await COLUMNAR_WRITERS[format]();
  const metadata = Object.entries(head).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
  const writer = createWriter(metadata, count, tableLayout(table));
  const batch = createTableBatch(writer.batchRows, table);
  let hasBegun = false;

  function begin(pieces: FilePiece[]): void {
    if (!hasBegun) pieces.push(writer.begin());
    hasBegun = true;
  }

  function write(pieces: FilePiece[]): void {
    begin(pieces);
    pieces.push(writer.batch(batch));
    batch.clear();
  }

  return {
    add(row, pieces) {
      batch.add(row);
      if (batch.isFull()) write(pieces);
    },
    flush: begin,
    end(pieces) {
      if (batch.length > 0) write(pieces);
      begin(pieces);
      pieces.push(writer.end());
    },
  };
}
