import { zstdDecompressSync } from "node:zlib";
import { DataType, type RecordBatch, type Schema, tableFromIPC } from "apache-arrow";
import {
  type FileMetaData,
  type ParquetParsers,
  parquetMetadata,
  parquetReadObjects,
} from "hyparquet";
import { wkbToGeojson } from "hyparquet/src/wkb.js";
import { STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";
import { EXPORT_FIELDS } from "#infra/formats/format-writer.ts";
import { shiftDecimal } from "#infra/formats/written-values.ts";

/** The values of one event by column; times in microseconds since 1970, points as GeoJSON. */
type ColumnValues = Readonly<Record<string, unknown>>;

/** What a columnar file has to hold of an event as the JSON export has it. */
export function columnValues(event: Omit<SeismicEvent, "source_events">): ColumnValues {
  const values: Record<string, unknown> = {};
  for (const name of EXPORT_FIELDS) {
    values[name] = withoutSign((event as Partial<SeismicEvent>)[name] ?? null);
  }
  for (const name of STRUCTURED_NAMES) {
    // Compared as values: their texts may differ in blanks.
    if (values[name] !== null) values[name] = JSON.parse(JSON.stringify(values[name]));
  }
  values["time"] = timeToMicros(event.time);
  const { longitude, latitude, depth } = event;
  const height = depth === null ? [] : [-Number(shiftDecimal(String(depth), 3))];
  const coordinates = [longitude, latitude, ...height].map(withoutSign);
  return { ...values, geometry: { type: "Point", coordinates } };
}

/** The values that a reader gave, compared in the same way. */
function readValues(row: ColumnValues): ColumnValues {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) values[name] = withoutSign(value ?? null);
  for (const name of STRUCTURED_NAMES) {
    if (typeof values[name] === "string") values[name] = JSON.parse(values[name]);
  }
  if (!values["geometry"]) return values;
  const { type, coordinates } = values["geometry"] as { type: string; coordinates: number[] };
  return { ...values, geometry: { type, coordinates: coordinates.map(withoutSign) } };
}

/** Zero has none: a dictionary may give back either. */
const withoutSign = (value: unknown): unknown => (value === 0 ? 0 : value);

type ArrowFile = {
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

const parsers: Partial<ParquetParsers> = { timestampFromMicroseconds: (micros) => micros };
const compressors = { ZSTD: (page: Uint8Array) => zstdDecompressSync(page) };

type ParquetFile = {
  readonly metadata: FileMetaData;
  readonly rows: readonly ColumnValues[];
  /** The file's key-value metadata. */
  readonly pairs: Readonly<Record<string, string | undefined>>;
};

/** @throws Error for what is no whole Parquet file */
export async function readParquet(bytes: Uint8Array): Promise<ParquetFile> {
  const file = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(file);
  const rows = await parquetReadObjects({ file, metadata, compressors, parsers });
  const pairs = metadata.key_value_metadata?.map(({ key, value }) => [key, value]) ?? [];
  return { metadata, rows: rows.map(readValues), pairs: Object.fromEntries(pairs) };
}
