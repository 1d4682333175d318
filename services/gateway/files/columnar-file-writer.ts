import {
  type CreateColumnarWriter,
  catalogueMetadata,
  createEventBatch,
  EVENT_LAYOUT,
} from "#infra/formats/columnar/batch.ts";
import { createBinaryRowReader } from "#infra/postgres/copy/copied-rows.ts";
import { EVENT_COLUMN_COUNT } from "#projections/read/versions.ts";
import {
  type ColumnarFormat,
  type ColumnarTask,
  ExportInterrupted,
  type FilePiece,
  type FileWriter,
} from "./file-writer.ts";

/** Makes the file from rows copied as binary, batch by batch. */
export async function openColumnarFileWriter({
  format,
  exported,
  count,
}: ColumnarTask): Promise<FileWriter> {
  const createWriter = await COLUMNAR_WRITERS[format]();
  const reader = createBinaryRowReader(EVENT_COLUMN_COUNT);
  const writer = createWriter(catalogueMetadata(exported), count, EVENT_LAYOUT);
  // Small files need little memory. One row more than announced must find a place.
  const batch = createEventBatch(Math.min(count + 1, writer.batchRows));
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
