import { ATTRIBUTES, type Attribute, type AttributeName, TIME_ALIASES } from "./attributes.ts";
import { magnitudeTypeOfName } from "./magnitude-types.ts";
import { isNumeric, movedPoint } from "./number-text.ts";
import { type Qualifier, qualifiedNames, qualifierMeaning } from "./qualified-names.ts";
import { placesOfUnit } from "./written-units.ts";

/** The meaning of an input name. `date` is separate because it may be half of a time. */
export type Field = AttributeName | "time" | "date" | "focal_mechanisms" | "extra";

/**
 * `rank` orders several names of one field in an event: 0 is the canonical name, then the aliases.
 * `places`: the value times ten to this power has the attribute's unit.
 */
export type NameMeaning = {
  readonly field: Field;
  readonly rank: number;
  readonly places?: number;
  /** Of a magnitude whose name says its type. */
  readonly magnitudeType?: string;
};

/** SCEDC's names of date and time (`YYY/MM/DD`, `HH:mm:SS.ss`) are their formats. */
const WRITTEN_DATES = ["yyymmdd", "yyyymmdd"];
const WRITTEN_TIMES = ["hh:mm:ss", "hh:mm:ssss"];
/** QQuake's depth is in metres, as its name says. */
const DEPTHS_IN_METRES = ["depthmeters", "depthmetres", "depthm"];
const METRES_TO_KILOMETRES = -3;
const LAST_RANK = 99;
/** After a magnitude's untyped names. */
const TYPED_MAGNITUDE_RANK = 3;

const MEANINGS = nameMeanings();

/**
 * Names compare without regard to case, white space and `_ - . /`, which covers camelCase, and
 * without the mark-up at the end of a line that was copied from a page.
 */
export function normaliseName(name: string): string {
  return name
    .toLowerCase()
    .replace(/<br ?\/?>\s*$/, "")
    .replace(/[\s_\-./]/g, "");
}

/** The field of an input name; null for a foreign one, and for one whose values cannot be read. */
export function meaningOf(name: string): NameMeaning | null {
  const known = knownMeaning(name);
  if (known !== null) return known;
  for (const { base, qualifier } of qualifiedNames(name)) {
    const meaning = knownMeaning(base);
    const more = meaning && qualifierMeaning(meaning.field, qualifier);
    if (!more || "fault" in more) continue;
    const { rank } = meaning;
    return { ...meaning, ...more, rank: rank + 0.5 };
  }
  return null;
}

/**
 * The power of ten by which a column's name says that its values differ from a field's unit, whatever
 * else the name says; or what in the name cannot be read as that field.
 */
export function unitInName(name: string, field: string): Qualifier {
  const known = knownMeaning(name);
  if (known?.field === field) return { places: known.places ?? 0 };
  for (const { qualifier } of qualifiedNames(name)) {
    const meaning = qualifierMeaning(field, qualifier);
    if (meaning !== null) return meaning;
  }
  return {};
}

/** Whether a name says the unit of a field's values. */
export function saysUnit(name: string, field: AttributeName): boolean {
  const isInMetres = DEPTHS_IN_METRES.includes(normaliseName(name));
  const units = qualifiedNames(name).map(({ qualifier }) => placesOfUnit(field, qualifier.text));
  return (field === "depth" && isInMetres) || units.some((places) => places !== null);
}

/** What in a name keeps its times from being read: another zone than UTC. Null for other names. */
export function zoneInName(name: string): string | null {
  const unread = unreadInName(name);
  return unread !== null && isTime(unread.field) ? unread.fault : null;
}

type Unread = { readonly field: Field; readonly fault: string };

/** The field that a name tells, and what in the name keeps its values from being read: a unit or a zone. */
export function unreadInName(name: string): Unread | null {
  if (knownMeaning(name) !== null) return null;
  for (const { base, qualifier } of qualifiedNames(name)) {
    const field = knownMeaning(base)?.field;
    const meaning = field === undefined ? null : qualifierMeaning(field, qualifier);
    if (field !== undefined && meaning !== null && "fault" in meaning) {
      return { field, fault: meaning.fault };
    }
  }
  return null;
}

/** Remarks on the names whose values are not read for a unit or zone, where no other gives the field. */
export function remarksOnUnread(
  names: readonly string[],
  known: { readonly has: (field: Field) => boolean },
): string[] {
  return names.flatMap((name) => {
    const unread = unreadInName(name);
    if (unread === null || known.has(unread.field)) return [];
    const { field, fault } = unread;
    return [
      `The values of ${JSON.stringify(name)} are ${fault}, which is not read as ${field}; they are kept under extra`,
    ];
  });
}

function isTime(field: Field): boolean {
  return field === "time" || field === "date";
}

function knownMeaning(name: string): NameMeaning | null {
  const known = MEANINGS.get(normaliseName(name));
  if (known !== undefined) return known;
  const type = magnitudeTypeOfName(name);
  if (type === null) return null;
  const rank = TYPED_MAGNITUDE_RANK + type.rank;
  return { field: "magnitude", rank, magnitudeType: type.name };
}

function nameMeanings(): ReadonlyMap<string, NameMeaning> {
  const meanings = new Map<string, NameMeaning>();
  const add = (field: Field, names: readonly string[]) => {
    for (const [rank, name] of names.entries()) {
      const normalised = normaliseName(name);
      if (!meanings.has(normalised)) meanings.set(normalised, { field, rank });
    }
  };
  add("date", ["date", ...WRITTEN_DATES]);
  add("time", ["time", ...TIME_ALIASES, ...WRITTEN_TIMES]);
  add("focal_mechanisms", ["focal_mechanisms"]);
  add("extra", ["extra"]);
  const attributes = Object.entries(ATTRIBUTES) as [AttributeName, Attribute][];
  for (const [field] of attributes) add(field, [field]);
  for (const [field, { aliases = [] }] of attributes) add(field, [field, ...aliases]);
  for (const name of DEPTHS_IN_METRES) {
    meanings.set(name, { field: "depth", rank: LAST_RANK, places: METRES_TO_KILOMETRES });
  }
  return meanings;
}

/** A number or decimal text, times ten to the power of `places`; others are returned unchanged. */
export function movePoint(value: unknown, places: number): unknown {
  if (typeof value !== "number" && typeof value !== "string") return value;
  const text = String(value).trim();
  if (!isNumeric(text)) return value;
  const moved = movedPoint(text, places);
  return typeof value === "number" ? Number(moved) : moved;
}
