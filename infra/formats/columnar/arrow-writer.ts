import {
  AsyncByteQueue,
  Binary,
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
import type { ExportedCatalogue } from "../format-writer.ts";
import { recordBatch } from "./arrow-data.ts";
import type { BinaryPiece, ColumnarWriter } from "./columnar-writer.ts";
import type { Column } from "./columns.ts";
import { EVENT_COLUMNS } from "./event-batch.ts";
import { catalogueMetadata, GEOARROW_METADATA, GEOMETRY } from "./metadata.ts";

/**
 * Writes an Arrow IPC stream (Arrow Columnar Format, "IPC Streaming Format"), uncompressed, since not
 * every reader has the codecs. The dictionaries of a batch replace those of the one before: they
 * would grow with the catalogue otherwise.
 */
export function createArrowWriter(exported: ExportedCatalogue): ColumnarWriter {
  const pieces = new PieceQueue();
  const arrow = new RecordBatchStreamWriter();
  const schema = schemaOf(exported);
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

function schemaOf(exported: ExportedCatalogue): Schema {
  const fields = EVENT_COLUMNS.map(
    ({ name, kind, isRequired }, i) => new Field<DataType>(name, typeOf(kind, i), !isRequired),
  );
  const geometry = new Field(GEOMETRY, new Binary(), false, new Map(GEOARROW_METADATA));
  const metadata = catalogueMetadata(exported).map(({ key, value }) => [key, value] as const);
  return new Schema([...fields, geometry], new Map(metadata));
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
    case "text":
      return new Utf8();
    case "category":
      return new Dictionary(new Utf8(), new Int32(), id);
  }
}
