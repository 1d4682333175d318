import { ATTRIBUTES, type AttributeName, TIME_ALIASES } from "./attributes.ts";

/** What an input name stands for. `date` is apart, because it may be half of a time. */
export type Field = AttributeName | "time" | "date" | "focal_mechanisms" | "extra";

/** `rank` orders several names of one field in one event: 0 is the canonical name, then the aliases. */
export type NameMeaning = { readonly field: Field; readonly rank: number };

/** Columns named after a magnitude type say the type too; a bare `m` does not. */
const IMPLIED_MAGNITUDE_TYPES: Readonly<Record<string, string>> = { mw: "Mw", ml: "ML" };

const MEANINGS = nameMeanings();

/** Names are compared without regard to case, white space and `_ - . /`; so camelCase is understood. */
export function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[\s_\-./]/g, "");
}

/** The field that an input name stands for, null when it is none of ours. */
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
  add("date", ["date"]);
  add("time", ["time", ...TIME_ALIASES]);
  add("focal_mechanisms", ["focal_mechanisms"]);
  add("extra", ["extra"]);
  const attributes = Object.entries(ATTRIBUTES) as [
    AttributeName,
    { aliases: readonly string[] },
  ][];
  for (const [field] of attributes) add(field, [field]);
  for (const [field, { aliases }] of attributes) add(field, [field, ...aliases]);
  return meanings;
}
