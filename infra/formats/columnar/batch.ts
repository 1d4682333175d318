/**
 * Batches of rows by column, and what their writers make of them: an interface for Arrow and
 * Parquet, which are loaded when they are asked for.
 */

import { ATTRIBUTES, type AttributeKind } from "#contracts/seismic-event/attributes.ts";
import type { BinaryRow } from "../../postgres/copy/copied.ts";
import {
  EXPORT_FIELDS,
  type ExportedCatalogue,
  type ExportField,
  FIELD,
} from "../format-writer.ts";
import { shiftDecimal } from "../written-values.ts";
import {
  type Column,
  categoryColumn,
  createTextStore,
  integerColumn,
  numberColumn,
  textColumn,
  timeColumn,
  uuidColumn,
} from "./columns.ts";

/** Bytes of a file in memory of their own, which can be moved to another thread. */
export type BinaryPiece = Uint8Array<ArrayBuffer>;

/**
 * A writer of one columnar format for one file. The file is the concatenation of `begin`, `batch` for
 * each batch of rows, none of them empty, and `end`. Synchronous, and keeps no rows.
 */
export type ColumnarWriter = {
  /** Most rows in a batch. */
  readonly batchRows: number;
  readonly begin: () => BinaryPiece;
  readonly batch: (batch: WrittenBatch) => BinaryPiece;
  readonly end: () => BinaryPiece;
};

export type WrittenBatch = Pick<ColumnBatch, "columns" | "points" | "length">;

/**
 * @param metadata of the file, by key
 * @param count about how many rows the file will have
 */
export type CreateColumnarWriter = (
  metadata: FileMetadata,
  count: number,
  layout: Layout,
) => ColumnarWriter;

export type FileMetadata = readonly { readonly key: string; readonly value: string }[];

type ValueKind = AttributeKind | "id" | "time" | "identifier" | "structure";

const CREATE: Readonly<Record<ValueKind, (capacity: number) => Column>> = {
  id: uuidColumn,
  time: timeColumn,
  number: numberColumn,
  integer: integerColumn,
  text: categoryColumn,
  enumeration: categoryColumn,
  identifier: textColumn,
  structure: textColumn,
};

const KINDS: Readonly<Record<ExportField, ValueKind>> = {
  ...(Object.fromEntries(
    Object.entries(ATTRIBUTES).map(([name, { kind }]) => [name, kind]),
  ) as Record<keyof typeof ATTRIBUTES, AttributeKind>),
  id: "id",
  time: "time",
  // No two events of a catalogue have the same.
  source_id: "identifier",
  focal_mechanisms: "structure",
  extra: "structure",
  source_events: "structure",
};

type Fields = readonly (readonly [name: string, kind: ValueKind])[];

/** The columns of events, each with its point, and batches of them. */
export type EventTable = ReturnType<typeof eventTable>;

/**
 * @param before columns before those of an export
 * @param after columns behind them
 * @param isPartial whether a row may lack what every event has: of one that was removed there is the id alone
 */
function eventTable(before: Fields, after: Fields, isPartial = false) {
  const fields = [
    ...before,
    ...EXPORT_FIELDS.map((name) => [name, KINDS[name]] as const),
    ...after,
  ];
  const required = isPartial
    ? [...before.map(([name]) => name), "id"]
    : ["id", "time", "latitude", "longitude"];
  const placeOf = (field: ExportField) => before.length + FIELD[field];
  const [longitude, latitude, depth] = [
    placeOf("longitude"),
    placeOf("latitude"),
    placeOf("depth"),
  ];
  const layout: Layout = {
    columns: fields.map(([name, kind]) => ({
      name,
      kind: CREATE[kind](0).kind,
      isRequired: required.includes(name),
    })),
    points: { isRequired: !isPartial, boxedBy: after.length > 0 ? { longitude, latitude } : null },
  };
  return {
    layout,
    /** @param capacity most events */
    createBatch(capacity: number): ColumnBatch {
      const columns = fields.map(([, kind]) => CREATE[kind](capacity));
      const points = createPoints(capacity);
      return createColumnBatch(capacity, columns, points, ({ view, starts, lengths }) => {
        if ((lengths[longitude] as number) < 0) return points.addNone();
        const isDeep = (lengths[depth] as number) >= 0;
        points.add(
          view.getFloat64(starts[longitude] as number),
          view.getFloat64(starts[latitude] as number),
          isDeep ? view.getFloat64(starts[depth] as number) : null,
        );
      });
    },
  };
}

/** As in exports. */
export const EVENTS = eventTable([], []);

/** With these a row has all that its canonical form says. */
const REST: Fields = [
  ["time_digits", "integer"],
  ["bulletin_sha256", "identifier"],
];

/** In parts: of a version. */
export const EVENTS_OF_BASE = eventTable([], REST);

/** In parts: what versions added, updated and removed. */
export const EVENTS_OF_CHANGES = eventTable(
  [
    ["change", "text"],
    ["version", "integer"],
  ],
  REST,
  true,
);

/** The columns of a file; those that are required never have nulls. */
export type Layout = {
  readonly columns: readonly {
    readonly name: string;
    readonly kind: Column["kind"];
    readonly isRequired: boolean;
  }[];
  /** Of the rows' points, in a column after the others; null without. */
  readonly points: {
    readonly isRequired: boolean;
    /** The columns that a box around each point is made of (GeoParquet 1.1, "bbox covering"); null for no boxes. */
    readonly boxedBy: { readonly longitude: number; readonly latitude: number } | null;
  } | null;
};

/** Rows by column, in the order of a layout. */
export type ColumnBatch = {
  readonly length: number;
  readonly columns: readonly Column[];
  /** Null where the layout has none. */
  readonly points: Points | null;
  /** @param row whose first fields are those of the columns */
  readonly add: (row: BinaryRow) => void;
  readonly isFull: () => boolean;
  /** Makes room for the next rows. */
  readonly clear: () => void;
};

/** Of the rows as they were copied: long texts make smaller batches. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** @param capacity most rows, also of the columns */
export function createColumnBatch(
  capacity: number,
  columns: readonly Column[],
  points: Points | null = null,
  addPoint?: (row: BinaryRow) => void,
): ColumnBatch {
  const last = columns.length - 1;
  let length = 0;
  let bytes = 0;

  return {
    get length() {
      return length;
    },
    columns,
    points,
    add(row) {
      for (let i = 0; i <= last; i += 1) columns[i]?.add(length, row, i);
      addPoint?.(row);
      const { starts, lengths } = row;
      length += 1;
      bytes += (starts[last] as number) + (lengths[last] as number) - (starts[0] as number);
    },
    isFull: () => length === capacity || bytes >= BATCH_BYTES,
    clear() {
      for (const column of columns) column.clear();
      points?.clear();
      length = 0;
      bytes = 0;
    },
  };
}

/** ISO WKB (ISO 13249-3, as in GeoParquet 1.1 and GeoArrow), little-endian. */
const LITTLE_ENDIAN = 1;
const POINT = 1;
const POINT_Z = 1001;
const [POINT_BYTES, POINT_Z_BYTES] = [21, 29];

type Points = ReturnType<typeof createPoints>;

export type Extent = {
  /** By the names of GeoParquet. */
  readonly types: readonly ("Point" | "Point Z")[];
  /** Least x and y, greatest x and y, with z if every point has one; null without points. */
  readonly bbox: readonly number[] | null;
};

/**
 * The points of a batch's events, and what is true of all points since the beginning.
 * @param capacity most points in a batch
 */
function createPoints(capacity: number) {
  /** Well-known binary of each. */
  const values = createTextStore(capacity);
  const least = [Infinity, Infinity, Infinity];
  const greatest = [-Infinity, -Infinity, -Infinity];
  let flat = 0;
  let high = 0;
  let view = new DataView(values.bytes.buffer);

  function extend(axis: number, value: number): void {
    if (value < (least[axis] as number)) least[axis] = value;
    if (value > (greatest[axis] as number)) greatest[axis] = value;
  }

  return {
    values,
    /** @param depth in kilometres; null for a point without height */
    add(longitude: number, latitude: number, depth: number | null): void {
      const at = values.reserve(depth === null ? POINT_BYTES : POINT_Z_BYTES);
      if (view.buffer !== values.bytes.buffer) view = new DataView(values.bytes.buffer);
      view.setUint8(at, LITTLE_ENDIAN);
      view.setUint32(at + 1, depth === null ? POINT : POINT_Z, true);
      view.setFloat64(at + 5, longitude, true);
      view.setFloat64(at + 13, latitude, true);
      extend(0, longitude);
      extend(1, latitude);
      if (depth === null) {
        flat += 1;
        return;
      }
      high += 1;
      const height = heightOf(depth);
      view.setFloat64(at + 21, height, true);
      extend(2, height);
    },
    addNone: () => void values.reserve(0),
    clear: values.clear,
    extent(): Extent {
      const types: Extent["types"] = [
        ...(flat > 0 ? ["Point" as const] : []),
        ...(high > 0 ? ["Point Z" as const] : []),
      ];
      const axes = flat > 0 ? 2 : 3;
      const bbox = [...least.slice(0, axes), ...greatest.slice(0, axes)];
      return { types, bbox: flat + high > 0 ? bbox : null };
    },
  };
}

/** Of a kilometre. */
const MILLIMETRES = 1e6;

/** Metres up from kilometres down, by moving the decimal point as the other formats do. */
export function heightOf(depth: number): number {
  const millimetres = Math.round(depth * MILLIMETRES);
  // With more than six decimals the product would have been rounded.
  const metres =
    millimetres / MILLIMETRES === depth
      ? millimetres / 1_000
      : Number(shiftDecimal(String(depth), 3));
  return 0 - metres;
}

/** The column of points, after the others. */
export const GEOMETRY = "geometry";
/** The column of their boxes, after it. */
export const BOX = "bbox";
export const BOX_SIDES = ["xmin", "ymin", "xmax", "ymax"] as const;

/** What the JSON export tells of the catalogue, as a file's key-value metadata. */
export function catalogueMetadata({
  catalogue,
  version,
}: Pick<ExportedCatalogue, "catalogue" | "version">): FileMetadata {
  return [
    { key: "catalogue", value: JSON.stringify(catalogue) },
    { key: "version", value: String(version) },
  ];
}

/** The value of the key `geo` (GeoParquet 1.1, "Metadata"). Without `crs` it is OGC:CRS84. */
export function geoParquetMetadata({ types, bbox }: Extent, isBoxed: boolean): object {
  const covering = { bbox: Object.fromEntries(BOX_SIDES.map((side) => [side, [BOX, side]])) };
  const column = {
    encoding: "WKB",
    geometry_types: types,
    ...(bbox && { bbox }),
    ...(isBoxed && { covering }),
  };
  return { version: "1.1.0", primary_column: GEOMETRY, columns: { [GEOMETRY]: column } };
}

/** Of the column of points (GeoArrow 0.2, "Extension types"). */
export const GEOARROW_METADATA: readonly (readonly [string, string])[] = [
  ["ARROW:extension:name", "geoarrow.wkb"],
  ["ARROW:extension:metadata", JSON.stringify({ crs: "OGC:CRS84", crs_type: "authority_code" })],
];
