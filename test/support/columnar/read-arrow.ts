import { DataType, type RecordBatch, type Schema, tableFromIPC } from "apache-arrow";
import { wkbToGeojson } from "hyparquet/src/wkb.js";
import { type ColumnValues, readValues } from "./column-values.ts";

export type ArrowFile = {
  readonly schema: Schema;
  readonly batches: readonly RecordBatch[];
  readonly rows: readonly ColumnValues[];
};

export function readArrow(bytes: Uint8Array): ArrowFile {
  const { schema, batches } = tableFromIPC(bytes);
  return { schema, batches, rows: batches.flatMap(rowsOf) };
}

/** An IPC stream ends with a continuation mark and no message. */
export const endsAsStream = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes).subarray(-8).equals(Buffer.from("ffffffff00000000", "hex"));

function rowsOf(batch: RecordBatch): ColumnValues[] {
  return Array.from({ length: batch.numRows }, (_, row) => {
    const values: Record<string, unknown> = {};
    for (const [i, { name, type }] of batch.schema.fields.entries()) {
      const column = batch.getChildAt(i);
      // The reader makes milliseconds of it, in which microseconds are lost.
      const isTime = DataType.isTimestamp(type) && column?.get(row) !== null;
      values[name] = isTime ? column?.data[0]?.values[row] : column?.get(row);
    }
    const point = values["geometry"] as Uint8Array | undefined;
    return readValues(point === undefined ? values : { ...values, geometry: pointOf(point) });
  });
}

function pointOf(bytes: Uint8Array): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return wkbToGeojson({ view, offset: 0 });
}
