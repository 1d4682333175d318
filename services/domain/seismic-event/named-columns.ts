import { meaningOf } from "#contracts/seismic-event/input-names.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { FieldError } from "./validation-result.ts";

/** What columns of a file are said to be: the name of an attribute, or null for nothing. */
export type NamedColumns = Readonly<Record<string, string | null>>;

/** What is wrong with names for the columns of a file with these headers. */
export function faultyColumns(columns: NamedColumns, headers: readonly string[]): FieldError[] {
  const known = new Set(headers);
  const taken = new Map<string, string>();
  const faults: FieldError[] = [];
  for (const [column, name] of Object.entries(columns)) {
    const fault = (message: string) => faults.push({ field: `columns.${column}`, message });
    if (!known.has(column)) fault("is not a column of the file");
    else if (name !== null) {
      const other = taken.get(name);
      if (other !== undefined) fault(`is ${name}, and so is ${other}`);
      else if (known.has(name) && !Object.hasOwn(columns, name)) {
        fault(
          `is ${name}, which is a column of the file too; name that as well, or leave it out with null`,
        );
      }
      taken.set(name, column);
    }
  }
  return faults;
}

/**
 * Gives the columns of a row their names. Columns of which nothing is said keep theirs. A magnitude
 * is null where no column gives one, as in an uploaded file without such a column.
 * @param columns without faults
 */
export function createColumnNaming(
  columns: NamedColumns,
  headers: readonly string[],
): (row: JsonObject) => JsonObject {
  const names = new Map(Object.entries(columns));
  if (names.size === 0) return (row) => row;
  const given = new Set([...names.values()].filter((name) => name !== null));
  const givesMagnitude = headers
    .map((header) => names.get(header) ?? (names.has(header) ? null : header))
    .some((name) => name !== null && meaningOf(name)?.field === "magnitude");
  return (row) => {
    const named: JsonObject = givesMagnitude ? {} : { magnitude: null };
    for (const [key, value] of Object.entries(row)) {
      const name = names.get(key);
      // Readers add a null magnitude where the file has none.
      if (name === null || (name === undefined && given.has(key))) continue;
      named[name ?? key] = value;
    }
    return named;
  };
}
