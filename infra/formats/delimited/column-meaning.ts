import {
  type Field,
  meaningOf,
  type NameMeaning,
  normaliseName,
} from "#contracts/seismic-event/input-names.ts";
import { namesInContext } from "#contracts/seismic-event/names-in-context.ts";
import { timePartOf } from "#contracts/seismic-event/time-parts.ts";

/** What the cells of a column are read as. `part`: a part of a date that is spread over columns. */
export type ColumnMeaning = Field | "source_events" | "part";

/** `places`: the cells times ten to this power have the attribute's unit. */
export type MeantColumn = { readonly meaning: ColumnMeaning | null; readonly places: number };

/** A month to some and a minute to others, but always a part of a time. */
const MONTH_OR_MINUTE = "mm";

/** What a column's name stands for by itself, null when it is none of ours. */
function meaningOfColumn(name: string, known: NameMeaning | null): ColumnMeaning | null {
  if (known !== null) return known.field;
  const normalised = normaliseName(name);
  if (normalised === "sourceevents") return "source_events";
  return timePartOf(name) !== null || normalised === MONTH_OR_MINUTE ? "part" : null;
}

/** What the columns of a table stand for together. */
export function columnMeanings(names: readonly string[]): MeantColumn[] {
  const { meanings } = namesInContext(names);
  return names.map((name, i) => {
    const known = meanings[i] ?? null;
    return { meaning: meaningOfColumn(name, known), places: known?.places ?? 0 };
  });
}

/** How many different things of ours a row of names speaks of: a header speaks of several. */
export function countMeanings(names: readonly string[]): number {
  const meanings = new Set<string>();
  for (const name of names) {
    const meaning = meaningOfColumn(name, meaningOf(name));
    if (meaning !== null) meanings.add(meaning === "part" ? normaliseName(name) : meaning);
  }
  return meanings.size;
}
