import {
  AsyncByteQueue,
  Binary,
  Bool,
  type DataType,
  Dictionary,
  Field,
  Float64,
  Int32,
  RecordBatchStreamWriter,
  Schema,
  TimestampMicrosecond,
  Utf8,
} from "apache-arrow";
import { recordBatch } from "./arrow-data.ts";
import type { Layout } from "./column-batch.ts";
import type { BinaryPiece, ColumnarWriter, FileMetadata } from "./columnar-writer.ts";
import type { Column } from "./columns.ts";
import { GEOARROW_METADATA, GEOMETRY } from "./metadata.ts";

/**
 * Writes an Arrow IPC stream (Arrow Columnar Format, "IPC Streaming Format"), uncompressed, since not
 * every reader has the codecs. The dictionaries of a batch replace those of the one before: they
 * would grow with the catalogue otherwise.
 */
export function createArrowWriter(
  metadata: FileMetadata,
  _count: number,
  layout: Layout,
): ColumnarWriter {
  const pieces = new PieceQueue();
  const arrow = new RecordBatchStreamWriter();
  const schema = schemaOf(metadata, layout);
  return {
    batchRows: BATCH_ROWS,
    begin() {
      arrow.reset(pieces, schema);
      return pieces.take();
    },
    batch(batch) {
      arrow.write(recordBatch(schema, batch));
      return pieces.take();
    },
    end() {
      arrow.finish();
      return pieces.take();
    },
  };
}

/** Two megabytes of the file. */
const BATCH_ROWS = 8_192;

/** Hands out what was written since the last time. */
class PieceQueue extends AsyncByteQueue {
  #parts: Uint8Array[] = [];

  override write(part: Uint8Array): void {
    this.#parts.push(part);
  }

  take(): BinaryPiece {
    const piece = new Uint8Array(this.#parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of this.#parts) {
      piece.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    return piece;
  }
}

function schemaOf(metadata: FileMetadata, { columns, hasPoints }: Layout): Schema {
  const fields = columns.map(
    ({ name, kind, isRequired }, i) => new Field<DataType>(name, typeOf(kind, i), !isRequired),
  );
  if (hasPoints) {
    fields.push(new Field(GEOMETRY, new Binary(), false, new Map(GEOARROW_METADATA)));
  }
  return new Schema(fields, new Map(metadata.map(({ key, value }) => [key, value])));
}

/** @param id of the column's dictionary */
function typeOf(kind: Column["kind"], id: number): DataType {
  switch (kind) {
    case "number":
      return new Float64();
    case "integer":
      return new Int32();
    case "time":
      return new TimestampMicrosecond("UTC");
    case "flag":
      return new Bool();
    case "text":
      return new Utf8();
    case "category":
      return new Dictionary(new Utf8(), new Int32(), id);
  }
}
