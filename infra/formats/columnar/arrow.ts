import {
  AsyncByteQueue,
  Binary,
  Bool,
  type Data,
  type DataType,
  Dictionary,
  Field,
  Float64,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
  Vector,
} from "apache-arrow";
import {
  type BinaryPiece,
  type ColumnarWriter,
  type FileMetadata,
  GEOARROW_METADATA,
  GEOMETRY,
  type Layout,
  type WrittenBatch,
} from "./batch.ts";
import type { Column, TextStore } from "./columns.ts";

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

function schemaOf(metadata: FileMetadata, { columns, points }: Layout): Schema {
  const fields = columns.map(
    ({ name, kind, isRequired }, i) => new Field<DataType>(name, typeOf(kind, i), !isRequired),
  );
  if (points !== null) {
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

/** The columns of a batch as Arrow has them, over the same memory. */
function recordBatch(schema: Schema, { columns, points, length }: WrittenBatch): RecordBatch {
  const geometry = points && makeData({ type: new Binary(), length, ...buffersOf(points.values) });
  const children = [
    ...columns.map((column, i) => dataOf(column, schema.fields[i]?.type as DataType, length)),
    ...(geometry === null ? [] : [geometry]),
  ];
  return new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }),
  );
}

/** @param type which belongs to the column's kind */
function dataOf(column: Column, type: DataType, length: number): Data {
  const { nulls, valid } = column;
  // The library would write the bitmap of a full batch.
  const nullBitmap = nulls === 0 ? null : valid.subarray(0, Math.ceil(length / 8));
  const common = { length, nullCount: nulls, nullBitmap };
  switch (column.kind) {
    case "number":
      return makeData({ ...common, type: type as Float64, data: column.values });
    case "integer":
      return makeData({ ...common, type: type as Int32, data: column.values });
    case "time":
      return makeData({ ...common, type: type as TimestampMicrosecond, data: column.values });
    case "flag": {
      const data = column.values.subarray(0, Math.ceil(length / 8));
      return makeData({ ...common, type: type as Bool, data });
    }
    case "text":
      return makeData({ ...common, type: type as Utf8, ...buffersOf(column.values) });
    case "category": {
      const { indexes, dictionary } = column.values;
      const { texts } = dictionary;
      return makeData({
        ...common,
        type: type as Dictionary<Utf8, Int32>,
        data: indexes,
        dictionary: new Vector([
          makeData({ type: new Utf8(), length: texts.length, ...buffersOf(texts) }),
        ]),
      });
    }
  }
}

function buffersOf({ offsets, bytes, length, byteLength }: TextStore) {
  return { valueOffsets: offsets.subarray(0, length + 1), data: bytes.subarray(0, byteLength) };
}
