/**
 * The columns of a table of events: what their names mean together, and what somebody says they
 * are.
 */

import { ATTRIBUTE_NAMES, ATTRIBUTES, type Attribute, type AttributeName } from "./attributes.ts";
import { meaningOf, type NameMeaning, normaliseName } from "./names.ts";
import { type ColumnUnit, UNITS } from "./written-numbers.ts";
import { TIME_PART_NAMES, type TimePart } from "./written-times.ts";

/** One of an event's magnitudes: the names of its type and of its value. */
export type MagnitudeNames = { readonly type: string; readonly magnitude: string };

/** ISC repeats these columns per magnitude. */
const MAGNITUDE_GROUP = ["author", "type", "mag"];
/** This column identifies ISC's tables. */
const ISC_FLAG = "depfix";
/** This date column identifies SCEDC's tables, in which M after MAG is the magnitude's type. */
const SCEDC_DATE = "yyymmdd";

/** Ranks below every name with a meaning of its own. */
const BY_PLACE = 100;
/** Ranks above every name, the canonical one too. */
const WITH_TYPE = -2;

/**
 * The meanings of names, including names whose meaning depends on their place: ISC's groups of
 * author, type and magnitude, ISC-GEM's `unc` after the depth and after the magnitude, SCEDC's `M`.
 * Of several magnitudes the one beside the type is preferred, since the type is that one's.
 * Repeated names have a number appended: `unc.1` means `unc`.
 * @returns the names of ISC's magnitudes, any number per event, in `meanings` and beside them
 */
export function namesInContext(names: readonly string[]) {
  /** In the order of the names; null for a foreign name. */
  const meanings: (NameMeaning | null)[] = names.map(meaningOf);
  const bare = names.map((name) => normaliseName(name.replace(/\.\d+$/, "")));
  const isScedc = bare.includes(SCEDC_DATE);
  for (const [i, name] of bare.entries()) {
    const before = meanings[i - 1]?.field;
    if (name === "unc" && (before === "depth" || before === "magnitude")) {
      meanings[i] = { field: `${before}_uncertainty`, rank: BY_PLACE };
    } else if (isScedc && name === "m" && before === "magnitude") {
      meanings[i] = { field: "magnitude_type", rank: BY_PLACE };
    }
  }
  const magnitudes = magnitudeGroups(names, bare, meanings);
  if (magnitudes.length === 0) preferTyped(meanings);
  return { meanings, magnitudes };
}

function preferTyped(meanings: (NameMeaning | null)[]): void {
  const placesOf = (field: string) =>
    meanings.flatMap((meaning, i) => (meaning?.field === field ? [i] : []));
  const [type, ...otherTypes] = placesOf("magnitude_type");
  const magnitudes = placesOf("magnitude");
  if (type === undefined || otherTypes.length > 0 || magnitudes.length < 2) return;
  const beside = [type - 1, type + 1].find((place) => magnitudes.includes(place));
  const meaning = meanings[beside ?? -1] ?? null;
  if (beside !== undefined && meaning !== null) meanings[beside] = { ...meaning, rank: WITH_TYPE };
}

function magnitudeGroups(
  names: readonly string[],
  bare: readonly string[],
  meanings: (NameMeaning | null)[],
): MagnitudeNames[] {
  const groups: MagnitudeNames[] = [];
  if (!bare.includes(ISC_FLAG)) return groups;
  for (let i = 0; i + MAGNITUDE_GROUP.length <= bare.length; i++) {
    if (!MAGNITUDE_GROUP.every((name, k) => bare[i + k] === name)) continue;
    const [type, magnitude] = [names[i + 1], names[i + 2]];
    if (type === undefined || magnitude === undefined) break;
    meanings[i] = null;
    meanings[i + 1] = { field: "magnitude_type", rank: BY_PLACE };
    meanings[i + 2] = { field: "magnitude", rank: BY_PLACE };
    groups.push({ type, magnitude });
  }
  return groups;
}

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
