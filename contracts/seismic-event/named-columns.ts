import { ATTRIBUTE_NAMES, ATTRIBUTES, type Attribute, type AttributeName } from "./attributes.ts";
import { TIME_PART_NAMES, type TimePart } from "./split-time.ts";
import { type ColumnUnit, UNITS } from "./written-units.ts";

/** What a column may be of the picks in rows that are joined to events. */
export const PICK_TARGETS = [
  "network",
  "station",
  "location",
  "channel",
  "phase",
  "residual",
] as const;
export type PickTarget = (typeof PICK_TARGETS)[number];

/** Names of columns with times of picks, as names compare, and the phases that some of them tell. */
export const PICK_TIMES: ReadonlyMap<string, string | null> = new Map([
  ["phasetime", null],
  ["picktime", null],
  ["peaktime", null],
  ["arrivaltime", null],
  ["parrivaltime", "P"],
  ["sarrivaltime", "S"],
]);

/** What a column of a file may be said to be. */
export const COLUMN_TARGETS: readonly [
  "time",
  "date",
  ...(TimePart | AttributeName | PickTarget)[],
] = ["time", "date", ...TIME_PART_NAMES, ...ATTRIBUTE_NAMES, ...PICK_TARGETS];
export type ColumnTarget = (typeof COLUMN_TARGETS)[number];

/** What a column is said to be: by the name alone, or with the unit of its numbers; null for nothing at all. */
export type NamedColumn =
  | ColumnTarget
  | { readonly attribute: ColumnTarget; readonly unit?: ColumnUnit | undefined }
  | null;

/** What columns of a file are said to be, by their names. */
export type NamedColumns = ReadonlyMap<string, NamedColumn>;

export const NO_NAMED_COLUMNS: NamedColumns = new Map();

/** What a column is said to be; undefined where nothing is said of it. */
export function targetOf(columns: NamedColumns, name: string): ColumnTarget | null | undefined {
  const named = columns.get(name);
  return typeof named === "object" && named !== null ? named.attribute : named;
}

/** The unit that a column is said to have. */
export function saidUnit(columns: NamedColumns, name: string): ColumnUnit | undefined {
  const named = columns.get(name);
  return typeof named === "object" ? named?.unit : undefined;
}

export function isPickTarget(target: string): target is PickTarget {
  return PICK_TARGETS.some((one) => one === target);
}

/** The units in which a column of these may be; of times as numbers, from 1970. */
export function unitsOf(target: ColumnTarget): readonly ColumnUnit[] {
  const attribute: Attribute | null = Object.hasOwn(ATTRIBUTES, target)
    ? ATTRIBUTES[target as AttributeName]
    : null;
  const own = target === "time" || target === "residual" ? "s" : attribute?.unit;
  return (Object.keys(UNITS) as ColumnUnit[]).filter((name) => UNITS[name].of === own);
}
