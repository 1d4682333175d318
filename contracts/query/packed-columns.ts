import type { ColumnName } from "../http/events.ts";

/*
 * The format of columns of events for machines. Apart from their operation: the threads that write them load no
 * schemas.
 */

export const COLUMNS_LIMITS = {
  /** Of more, an answer has the largest alone. */
  events: 2_000_000,
  largest: 500_000,
  /** Different texts in a column, which 16 bits tell apart from each other and from null. */
  texts: 65_535,
  /** Of the texts of all columns in UTF-8, since the header is parsed at once. */
  textBytes: 16 * 1024 * 1024,
} as const;

/** Of how many events an answer has all, and of more how many. */
export type ColumnsLimits = Readonly<Record<"events" | "largest", number>>;

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
  /** How many events satisfy the filters, where these are the largest of them. */
  readonly total?: number;
  readonly columns: readonly PackedColumn[];
};

export const COLUMNS_MAGIC = "EQC1";
