import {
  Binary,
  type Bool,
  type Data,
  type DataType,
  type Dictionary,
  type Float64,
  type Int32,
  makeData,
  RecordBatch,
  type Schema,
  Struct,
  type TimestampMicrosecond,
  Utf8,
  Vector,
} from "apache-arrow";
import type { ColumnBatch } from "./column-batch.ts";
import type { Column } from "./columns.ts";
import type { TextStore } from "./text-store.ts";

/** The columns of a batch as Arrow has them, over the same memory. */
export function recordBatch(
  schema: Schema,
  { columns, points, length }: Pick<ColumnBatch, "columns" | "points" | "length">,
): RecordBatch {
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
      return makeData({
        ...common,
        type: type as Dictionary<Utf8, Int32>,
        data: indexes,
        dictionary: dictionaryOf(dictionary.texts),
      });
    }
  }
}

function dictionaryOf(texts: TextStore): Vector<Utf8> {
  const { length } = texts;
  return new Vector([makeData({ type: new Utf8(), length, ...buffersOf(texts) })]);
}

function buffersOf({ offsets, bytes, length, byteLength }: TextStore) {
  return { valueOffsets: offsets.subarray(0, length + 1), data: bytes.subarray(0, byteLength) };
}
