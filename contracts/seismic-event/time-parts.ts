import { normaliseName } from "./input-names.ts";

/**
 * Column names of a time's parts in ZMAP, hmtk, HORUS and ISC files. `mm` is missing: some files use
 * it for the month and others for the minute.
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

/** The part of a time that an input name denotes, or null. */
export function timePartOf(name: string): TimePart | null {
  return BY_NAME.get(normaliseName(name)) ?? null;
}
