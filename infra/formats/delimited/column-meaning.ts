import { type Field, meaningOf, normaliseName } from "#contracts/seismic-event/input-names.ts";

/** What the cells of a column are read as. `part`: a part of a date that is spread over columns. */
export type ColumnMeaning = Field | "source_events" | "part";

/** Names of split dates (HORUS, hmtk, ISF-like tables), compared as `normaliseName` leaves them. */
const DATE_PARTS = new Set(
  "year yr yyyy month mon mo day da dd hour hr ho hh minute min mi mm second sec se ss".split(" "),
);

/** What a column's name stands for, null when it is none of ours. */
export function columnMeaning(name: string): ColumnMeaning | null {
  const field = meaningOf(name)?.field;
  if (field !== undefined) return field;
  const normalised = normaliseName(name);
  if (normalised === "sourceevents") return "source_events";
  return DATE_PARTS.has(normalised) ? "part" : null;
}

/** How many different things of ours a row of names speaks of: a header speaks of several. */
export function countMeanings(names: readonly string[]): number {
  const meanings = new Set<string>();
  for (const name of names) {
    const meaning = columnMeaning(name);
    if (meaning !== null) meanings.add(meaning === "part" ? normaliseName(name) : meaning);
  }
  return meanings.size;
}
