import { shownSolutions } from "#infra/formats/bulletin/parts.ts";
import {
  type CreateColumnarWriter,
  catalogueMetadata,
  EVENTS,
} from "#infra/formats/columnar/batch.ts";
import { type TableRow, tableRowsOf } from "#infra/formats/tables/table-rows.ts";
import {
  createTableBatch,
  createTableCsvWriter,
  createTableJsonWriter,
  type TableWriter,
  tableLayout,
} from "#infra/formats/tables/table-writers.ts";
import { createBinaryRowReader, createTextCopyReader } from "#infra/postgres/copy/copied.ts";
import { createEventBulletinReader, EVENT_COLUMN_COUNT } from "#projections/read/copied-rows.ts";
import {
  type ColumnarFormat,
  type ColumnarTask,
  ExportInterrupted,
  type FilePiece,
  type FileWriter,
  isColumnarFormat,
  type TableTask,
} from "./writers.ts";

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

/** Makes the file from rows copied as binary, batch by batch. */
export async function openColumnarFileWriter({
  format,
  exported,
  count,
}: ColumnarTask): Promise<FileWriter> {
  const createWriter = await COLUMNAR_WRITERS[format]();
  const reader = createBinaryRowReader(EVENT_COLUMN_COUNT);
  const writer = createWriter(catalogueMetadata(exported), count, EVENTS.layout);
  // Small files need little memory. One row more than announced must find a place.
  const batch = EVENTS.createBatch(Math.min(count + 1, writer.batchRows));
  let hasBegun = false;
  let seen = 0;

  /** The head of the file, before everything else. */
  function begun(): FilePiece[] {
    if (hasBegun) return [];
    hasBegun = true;
    return [writer.begin()];
  }

  function written(): FilePiece {
    const piece = writer.batch(batch);
    seen += batch.length;
    batch.clear();
    return piece;
  }

  return {
    take(bytes) {
      const pieces = begun();
      reader.read(bytes, (row) => {
        batch.add(row);
        if (batch.isFull()) pieces.push(written());
      });
      return pieces;
    },
    end() {
      reader.end();
      const pieces = begun();
      if (batch.length > 0) pieces.push(written());
      if (seen !== count) throw new ExportInterrupted(seen, count);
      return [...pieces, writer.end()];
    },
  };
}

/** Imported when such a file is asked for first: few services need the memory of both. */
export const COLUMNAR_WRITERS: Readonly<
  Record<ColumnarFormat, () => Promise<CreateColumnarWriter>>
> = {
  parquet: async () => (await import("#infra/formats/columnar/parquet.ts")).createParquetWriter,
  arrow: async () => (await import("#infra/formats/columnar/arrow.ts")).createArrowWriter,
};
