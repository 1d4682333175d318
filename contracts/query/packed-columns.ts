import type { ColumnName } from "../http/events.ts";

/*
 * The format of columns of events for machines. Apart from their operation: the threads that write them load no
 * schemas.
 */

export const COLUMNS_LIMITS = {
  /** Beyond it clients draw cells of the analytics density. */
  events: 2_000_000,
  /** Different texts in a column, which 16 bits tell apart from each other and from null. */
  texts: 65_535,
  /** Of the texts of all columns in UTF-8, since the header is parsed at once. */
  textBytes: 16 * 1024 * 1024,
} as const;

/**
 * How the values of a column are packed, little-endian. `u32x2`: ids, revision and index in turn
 * (contracts/seismic-event/ids.ts). `f64`: times, in milliseconds since 1970 with a fraction.
 * `f32`: other numbers, NaN for null. `u8`, `u16`: texts, as indexes into the column's dictionary.
 */
export type PackedType = "u32x2" | "f64" | "f32" | "u8" | "u16";

/** `offset`: bytes from the beginning of the body, a multiple of 8. */
export type PackedColumn = {
  readonly name: ColumnName;
  readonly type: PackedType;
  readonly offset: number;
  /** The texts; the first is null, for events without one. */
  readonly dictionary?: readonly (string | null)[];
};

/**
 * The header of packed columns, each with `count` values, newest event first. A body is COLUMNS_MAGIC,
 * the number of bytes of the header (u32), the header as JSON, which spaces may follow, then the values.
 */
export type ColumnsHeader = {
  readonly catalogue: string;
  readonly version: number;
  readonly count: number;
  readonly columns: readonly PackedColumn[];
};

export const COLUMNS_MAGIC = "EQC1";
