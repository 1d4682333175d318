import type { ColumnTarget } from "#contracts/seismic-event/columns.ts";
import { meaningOf } from "#contracts/seismic-event/names.ts";
import {
  TIME_PART_NAMES,
  type TimePart,
  timePartNames,
  timePartOf,
} from "#contracts/seismic-event/written-times.ts";
import type { Upload } from "./read-upload.ts";

/** What columns are read as, where their names are not to decide; null: left out. */
export type ColumnChoice = Readonly<Record<string, ColumnTarget | null>>;

/** What the service takes a column for by its name; null where it only keeps it. */
export function meaningOfColumn(name: string): string | null {
  return meaningOf(name)?.field ?? timePartOf(name);
}

/** The choice as the service takes it: a column whose name another was chosen to have is left out. */
export function columnsOf(choice: ColumnChoice, headers: readonly string[]): ColumnChoice {
  const chosen = new Set<string | null>(Object.values(choice));
  const hidden = headers.filter((name) => chosen.has(name) && !Object.hasOwn(choice, name));
  return { ...choice, ...Object.fromEntries(hidden.map((name) => [name, null])) };
}

/** What a column is read as, chosen or by its name; null where it is only kept, or left out. */
export function readAs(
  name: string,
  choice: ColumnChoice,
  headers: readonly string[],
): string | null {
  const read = columnsOf(choice, headers);
  return Object.hasOwn(read, name) ? (read[name] ?? null) : meaningOfColumn(name);
}

/**
 * How many rows have no magnitude, where columns are read as chosen. Of several columns with one it
 * is not known which rows they leave empty together, but not more than any of them leaves.
 */
export function withoutMagnitude(
  { headers, rowCount, emptyCounts }: Pick<Upload, "headers" | "rowCount" | "emptyCounts">,
  choice: ColumnChoice,
): { readonly rows: number; readonly isExact: boolean } {
  const names = headers.filter((name) => readAs(name, choice, headers) === "magnitude");
  const rows = Math.min(rowCount, ...names.map((name) => emptyCounts[name] ?? 0));
  return { rows, isExact: names.length < 2 || rows === 0 };
}

/** What has to be there for rows to become events, and no column gives. */
export function missingColumns(
  headers: readonly string[],
  choice: ColumnChoice,
): readonly string[] {
  const read = headers.map((name) => readAs(name, choice, headers));
  const hasTime =
    read.includes("time") || read.includes("date") || hasDate(headers, columnsOf(choice, headers));
  const missing = ["latitude", "longitude"].filter((name) => !read.includes(name));
  return hasTime ? missing : ["time", ...missing];
}

/** Whether the parts of a time are a date at least: year, month and day. */
function hasDate(headers: readonly string[], choice: ColumnChoice): boolean {
  const chosen = new Map<TimePart, string>();
  for (const name of headers) {
    const part = TIME_PART_NAMES.find((one) => one === choice[name]);
    if (part !== undefined) chosen.set(part, name);
  }
  const byName = headers.filter((name) => !Object.hasOwn(choice, name));
  return timePartNames(byName, chosen) !== null;
}
