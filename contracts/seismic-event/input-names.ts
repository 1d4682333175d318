import { ATTRIBUTES, type Attribute, type AttributeName, TIME_ALIASES } from "./attributes.ts";

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
};

/** Columns named after a magnitude type imply the type; a bare `m` does not. */
const IMPLIED_MAGNITUDE_TYPES: Readonly<Record<string, string>> = { mw: "Mw", ml: "ML" };

/** SCEDC's names of date and time (`YYY/MM/DD`, `HH:mm:SS.ss`) are their formats. */
const WRITTEN_DATES = ["yyymmdd", "yyyymmdd"];
const WRITTEN_TIMES = ["hh:mm:ss", "hh:mm:ssss"];
/** QQuake's depth is in metres, as its name says. */
const DEPTHS_IN_METRES = ["depthmeters", "depthmetres", "depthm"];
const METRES_TO_KILOMETRES = -3;
const LAST_RANK = 99;
const DECIMAL = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:[eE]([+-]?\d+))?$/;

const MEANINGS = nameMeanings();

/** Names compare without regard to case, white space and `_ - . /`, which covers camelCase. */
export function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[\s_\-./]/g, "");
}

/** The field of an input name; null for a foreign one. */
export function meaningOf(name: string): NameMeaning | null {
  return MEANINGS.get(normaliseName(name)) ?? null;
}

/** The magnitude type that a magnitude's input name implies, or null. */
export function impliedMagnitudeType(name: string): string | null {
  return IMPLIED_MAGNITUDE_TYPES[normaliseName(name)] ?? null;
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
  const [, mantissa, exponent = "0"] = DECIMAL.exec(String(value).trim()) ?? [];
  if (mantissa === undefined) return value;
  const moved = `${mantissa}e${Number(exponent) + places}`;
  return typeof value === "number" ? Number(moved) : moved;
}
