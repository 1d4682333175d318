import { normaliseName } from "./input-names.ts";

/**
 * Names of the columns of a time that is split into its parts, as ZMAP, hmtk, HORUS and ISC files
 * have them (domain notes, "Catalogue file variants"). `mm` is none: it is a month to some and a
 * minute to others.
 */
const TIME_PARTS = {
  year: ["year", "yr", "yyyy"],
  month: ["month", "mon", "mo"],
  day: ["day", "da", "dd"],
  hour: ["hour", "hr", "ho", "hh"],
  minute: ["minute", "min", "mi"],
  second: ["second", "seconds", "sec", "se", "ss"],
} as const;

export type TimePart = keyof typeof TIME_PARTS;

const BY_NAME: ReadonlyMap<string, TimePart> = new Map(
  Object.entries(TIME_PARTS).flatMap(([part, names]) =>
    names.map((name) => [name, part as TimePart] as const),
  ),
);

/** The part of a time that an input name stands for, or null. */
export function timePartOf(name: string): TimePart | null {
  return BY_NAME.get(normaliseName(name)) ?? null;
}
