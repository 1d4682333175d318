import {
  type Field,
  meaningOf,
  type NameMeaning,
  normaliseName,
} from "#contracts/seismic-event/input-names.ts";
import { namesInContext } from "#contracts/seismic-event/names-in-context.ts";
import { timePartOf } from "#contracts/seismic-event/time-parts.ts";

/** How the cells of a column are read. `part`: one part of a date that is spread over columns. */
export type ColumnMeaning = Field | "source_events" | "part";

/** `places`: cells times ten to this power have the attribute's unit. */
export type MeantColumn = { readonly meaning: ColumnMeaning | null; readonly places: number };

/** Month in some files, minute in others, but always a part of a time. */
const MONTH_OR_MINUTE = "mm";

/** The meaning of a column's name by itself; null for a foreign name. */
function meaningOfColumn(name: string, known: NameMeaning | null): ColumnMeaning | null {
  if (known !== null) return known.field;
  const normalised = normaliseName(name);
  if (normalised === "sourceevents") return "source_events";
  return timePartOf(name) !== null || normalised === MONTH_OR_MINUTE ? "part" : null;
}

/** The meanings of a table's columns, each in the context of all. */
export function columnMeanings(names: readonly string[]): MeantColumn[] {
  const { meanings } = namesInContext(names);
  return names.map((name, i) => {
    const known = meanings[i] ?? null;
    return { meaning: meaningOfColumn(name, known), places: known?.places ?? 0 };
  });
}

/** The number of different known meanings in a row of names: a header has several. */
export function countMeanings(names: readonly string[]): number {
  const meanings = new Set<string>();
  for (const name of names) {
    const meaning = meaningOfColumn(name, meaningOf(name));
    if (meaning !== null) meanings.add(meaning === "part" ? normaliseName(name) : meaning);
  }
  return meanings.size;
}
