import { zstdCompressSync } from "node:zlib";
import type { DecodedArray, SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import {
  type BinaryPiece,
  BOX,
  BOX_SIDES,
  type ColumnarWriter,
  type Extent,
  type FileMetadata,
  GEOMETRY,
  geoParquetMetadata,
  type Layout,
  type WrittenBatch,
} from "./batch.ts";
import type { Column, TextStore } from "./columns.ts";

/**
 * Writes Parquet, with points GeoParquet 1.1: a row group for each batch, compressed with Zstandard.
 * What is known only at the end, such as where the points lie, stands in the footer. The library would return
 * promises only to a writer whose `flush` does.
 */
export function createParquetWriter(
  metadata: FileMetadata,
  count: number,
  layout: Layout,
  batchRows = groupRows(count),
): ColumnarWriter {
  const { points } = layout;
  const isBoxed = (points?.boxedBy ?? null) !== null;
  const boxes = isBoxed ? Array.from({ length: batchRows }, () => new Box()) : [];
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
    batchRows,
    begin: () => bytes.take(),
    batch(batch) {
      void parquet.write({
        columnData: columnData(layout, batch, boxes),
        rowGroupSize: batch.length,
      });
      extent = batch.points?.extent() ?? extent;
      return bytes.take();
    },
    end() {
      const geo = { key: "geo", value: JSON.stringify(geoParquetMetadata(extent, isBoxed)) };
      parquet.kvMetadata = [...(points === null ? [] : [geo]), ...metadata];
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

function schemaOf({ columns, points }: Layout): SchemaElement[] {
  const elements: SchemaElement[] = columns.map(({ name, kind, isRequired }) => ({
    name,
    repetition_type: isRequired ? "REQUIRED" : "OPTIONAL",
    ...TYPES[kind],
  }));
  const repetition = points?.isRequired ? "REQUIRED" : "OPTIONAL";
  const sides: SchemaElement[] = [];
  if (points !== null) {
    elements.push({ name: GEOMETRY, repetition_type: repetition, type: "BYTE_ARRAY" });
    if (points.boxedBy !== null) {
      elements.push({ name: BOX, repetition_type: repetition, num_children: BOX_SIDES.length });
      for (const name of BOX_SIDES) {
        sides.push({ name, repetition_type: "REQUIRED", type: "DOUBLE" });
      }
    }
  }
  return [{ name: "schema", num_children: elements.length }, ...elements, ...sides];
}

/** The box of a point, as the library takes a value with members. */
class Box {
  xmin = 0;
  ymin = 0;
  xmax = 0;
  ymax = 0;

  set(longitude: number, latitude: number): this {
    this.xmin = longitude;
    this.ymin = latitude;
    this.xmax = longitude;
    this.ymax = latitude;
    return this;
  }
}

/** Bounds, by which readers skip row groups, are for times and numbers. */
function columnData(
  layout: Layout,
  { columns, points, length }: WrittenBatch,
  boxes: readonly Box[],
) {
  const fields = layout.columns.map(({ name }, i) => {
    const column = columns[i] as Column;
    const data = parquetValues(column, length);
    if (column.nulls === length) return { name, data, statistics: false };
    const encoding = ENCODINGS[column.kind];
    return { name, data, ...(encoding && { encoding, statistics: false }) };
  });
  if (points === null) return fields;
  const places: readonly (Uint8Array | null)[] = layout.points?.isRequired
    ? textBytes(points.values, length)
    : textBytes(points.values, length).map((point) => (point.length > 0 ? point : null));
  const geometry = { name: GEOMETRY, data: [...places], ...UNIQUE };
  const boxedBy = layout.points?.boxedBy ?? null;
  if (boxedBy === null) return [...fields, geometry];
  const longitudes = columns[boxedBy.longitude]?.values as Float64Array;
  const latitudes = columns[boxedBy.latitude]?.values as Float64Array;
  const data = places.map(
    (place, row) =>
      place && (boxes[row] as Box).set(longitudes[row] as number, latitudes[row] as number),
  );
  return [...fields, geometry, { name: BOX, data }];
}

/** Of numbers the writer finds out whether a dictionary is smaller. */
const ENCODINGS: Partial<Record<Column["kind"], "PLAIN" | "RLE_DICTIONARY">> = {
  text: "PLAIN",
  category: "RLE_DICTIONARY",
};
const UNIQUE = { encoding: "PLAIN", statistics: false } as const;

/**
 * The values of a column's first `length` rows as hyparquet-writer takes them: an array of numbers as
 * it is where none is null, texts as bytes, equal ones of a category as one object.
 */
function parquetValues(column: Column, length: number): DecodedArray {
  if (column.nulls === length) return new Array(length).fill(null);
  switch (column.kind) {
    case "text":
      if (column.nulls === 0) return textBytes(column.values, length);
      return orNulls(column, length, column.values.at);
    case "category": {
      const { indexes, dictionary } = column.values;
      const texts = textBytes(dictionary.texts, dictionary.texts.length);
      return orNulls(column, length, (row) => texts[indexes[row] as number]);
    }
    case "flag":
      return orNulls(column, length, (row) => bitOf(column.values, row) === 1);
    default: {
      const { values } = column;
      if (column.nulls === 0) return values.subarray(0, length);
      return orNulls(column, length, (row) => values[row]);
    }
  }
}

function textBytes(texts: TextStore, length: number): Uint8Array[] {
  const values = new Array<Uint8Array>(length);
  for (let i = 0; i < length; i += 1) values[i] = texts.at(i);
  return values;
}

function orNulls<V>({ valid }: Column, length: number, valueAt: (row: number) => V): (V | null)[] {
  const values = new Array<V | null>(length);
  for (let row = 0; row < length; row += 1) {
    values[row] = bitOf(valid, row) === 1 ? valueAt(row) : null;
  }
  return values;
}

function bitOf(bits: Uint8Array, row: number): number {
  return ((bits[row >> 3] as number) >> (row & 7)) & 1;
}
