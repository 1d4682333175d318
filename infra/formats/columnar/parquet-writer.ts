import { zstdCompressSync } from "node:zlib";
import type { SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { Layout } from "./column-batch.ts";
import type { BinaryPiece, ColumnarWriter, FileMetadata, WrittenBatch } from "./columnar-writer.ts";
import type { Column } from "./columns.ts";
import { GEOMETRY, geoParquetMetadata } from "./metadata.ts";
import { parquetValues, textBytes } from "./parquet-values.ts";
import type { Extent } from "./points.ts";

/**
 * Writes Parquet, with points GeoParquet 1.1: a row group for each batch, compressed with Zstandard.
 * What is known only at the end, such as where the points lie, stands in the footer. The library would return promises
 * only to a writer whose `flush` does.
 */
export function createParquetWriter(
  metadata: FileMetadata,
  count: number,
  layout: Layout,
): ColumnarWriter {
  const bytes = new PieceWriter();
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(layout),
    codec: "ZSTD",
    compressors: { ZSTD: (page) => zstdCompressSync(page) },
    createdBy: "earthquake-catalogue-service",
  });
  let extent: Extent = { types: [], bbox: null };
  return {
    batchRows: groupRows(count),
    begin: () => bytes.take(),
    batch(batch) {
      void parquet.write({ columnData: columnData(layout, batch), rowGroupSize: batch.length });
      extent = batch.points?.extent() ?? extent;
      return bytes.take();
    },
    end() {
      const geo = { key: "geo", value: JSON.stringify(geoParquetMetadata(extent)) };
      parquet.kvMetadata = [...(layout.hasPoints ? [geo] : []), ...metadata];
      void parquet.finish();
      return bytes.take();
    },
  };
}

/** Some megabytes of memory, and enough for dictionaries and bounds to be worth their bytes. */
const [LEAST_GROUP_ROWS, MOST_GROUP_ROWS] = [8_192, 65_536];
/** The footer describes each of them, and is made at once. */
const USUAL_GROUPS = 128;

/** Rows per group of a file with `count` rows. */
function groupRows(count: number): number {
  let rows = LEAST_GROUP_ROWS;
  while (rows < MOST_GROUP_ROWS && rows * USUAL_GROUPS < count) rows *= 2;
  return rows;
}

/** Hands out what was written since the last time, while `offset` goes on counting. */
class PieceWriter extends ByteWriter {
  take(): BinaryPiece {
    const piece = this.getBytes().slice();
    this.index = 0;
    return piece;
  }
}

/** Readers of before 2018 know converted types only. */
const TEXT = {
  type: "BYTE_ARRAY",
  converted_type: "UTF8",
  logical_type: { type: "STRING" },
} as const;
const TIME = {
  type: "INT64",
  converted_type: "TIMESTAMP_MICROS",
  logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
} as const;

const TYPES: Readonly<Record<Column["kind"], Omit<SchemaElement, "name">>> = {
  number: { type: "DOUBLE" },
  integer: { type: "INT32" },
  time: TIME,
  text: TEXT,
  category: TEXT,
  flag: { type: "BOOLEAN" },
};

function schemaOf({ columns, hasPoints }: Layout): SchemaElement[] {
  const elements: SchemaElement[] = columns.map(({ name, kind, isRequired }) => ({
    name,
    repetition_type: isRequired ? "REQUIRED" : "OPTIONAL",
    ...TYPES[kind],
  }));
  if (hasPoints) {
    elements.push({ name: GEOMETRY, repetition_type: "REQUIRED", type: "BYTE_ARRAY" });
  }
  return [{ name: "schema", num_children: elements.length }, ...elements];
}

/** Bounds, by which readers skip row groups, are for times and numbers. */
function columnData(layout: Layout, { columns, points, length }: WrittenBatch) {
  const fields = layout.columns.map(({ name }, i) => {
    const column = columns[i] as Column;
    const data = parquetValues(column, length);
    if (column.nulls === length) return { name, data, statistics: false };
    const encoding = ENCODINGS[column.kind];
    return { name, data, ...(encoding && { encoding, statistics: false }) };
  });
  if (points === null) return fields;
  return [...fields, { name: GEOMETRY, data: textBytes(points.values, length), ...UNIQUE }];
}

/** Of numbers the writer finds out whether a dictionary is smaller. */
const ENCODINGS: Partial<Record<Column["kind"], "PLAIN" | "RLE_DICTIONARY">> = {
  text: "PLAIN",
  category: "RLE_DICTIONARY",
};
const UNIQUE = { encoding: "PLAIN", statistics: false } as const;
