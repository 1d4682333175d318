import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { meaningOf } from "#contracts/seismic-event/input-names.ts";

type Row = Readonly<Record<string, unknown>>;

/** What columns are read as, where their names are not to decide; null: left out. */
export type ColumnChoice = Readonly<Record<string, string | null>>;

/** What a column may be read as. */
export const ATTRIBUTE_NAMES: readonly string[] = ["time", "date", ...Object.keys(ATTRIBUTES)];

/** What the service takes a column for by its name; null where it only keeps it. */
export function meaningOfColumn(name: string): string | null {
  return meaningOf(name)?.field ?? null;
}

/** The rows with their columns named as chosen; a chosen column comes before one of that name. */
export function withColumns(rows: readonly Row[], choice: ColumnChoice): readonly Row[] {
  const chosen = Object.entries(choice);
  if (chosen.length === 0) return rows;
  return rows.map((row) => {
    const kept = Object.entries(row).filter(([name]) => !Object.hasOwn(choice, name));
    const renamed = chosen.flatMap(([name, attribute]): [string, unknown][] =>
      attribute === null || !Object.hasOwn(row, name) ? [] : [[attribute, row[name]]],
    );
    return Object.fromEntries([...kept, ...renamed]);
  });
}

/** How many rows have no magnitude. */
export function withoutMagnitude(rows: readonly Row[], headers: readonly string[]): number {
  const names = headers.filter((name) => meaningOfColumn(name) === "magnitude");
  return rows.filter((row) => names.every((name) => (row[name] ?? null) === null)).length;
}

/** What has to be there for rows to become events, and no column gives. */
export function missingColumns(
  headers: readonly string[],
  choice: ColumnChoice,
): readonly string[] {
  const read = headers.map((name) =>
    Object.hasOwn(choice, name) ? choice[name] : meaningOfColumn(name),
  );
  const hasTime = read.includes("time") || read.includes("date") || headers.some(isPartOfTime);
  const missing = ["latitude", "longitude"].filter((name) => !read.includes(name));
  return hasTime ? missing : ["time", ...missing];
}

function isPartOfTime(name: string): boolean {
  return /^(year|yr|yyyy)$/i.test(name);
}
