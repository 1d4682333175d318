import { ATTRIBUTE_NAMES, type AttributeName } from "./attributes.ts";
import { TIME_PART_NAMES, type TimePart } from "./split-time.ts";

/** What a column of a file may be said to be. */
export const COLUMN_TARGETS: readonly ["time", "date", ...(TimePart | AttributeName)[]] = [
  "time",
  "date",
  ...TIME_PART_NAMES,
  ...ATTRIBUTE_NAMES,
];
export type ColumnTarget = (typeof COLUMN_TARGETS)[number];

/** What columns of a file are said to be, by their names; null for nothing at all. */
export type NamedColumns = ReadonlyMap<string, ColumnTarget | null>;

export const NO_NAMED_COLUMNS: NamedColumns = new Map();
