import { meaningOf, unitInName } from "#contracts/seismic-event/input-names.ts";
import {
  type NamedColumns,
  saidUnit,
  targetOf,
  unitsOf,
} from "#contracts/seismic-event/named-columns.ts";
import type { FieldError } from "./validation-result.ts";

/** A file's columns; `members` are further names that it has for them. */
export type FileColumns = {
  readonly headers: readonly string[];
  readonly members?: readonly string[];
  /** Canonical headers that no member of the file gives a value. */
  readonly empty?: readonly string[] | undefined;
};

/** What is wrong with what is said of a file's columns. */
export function faultyColumns(
  columns: NamedColumns,
  { headers, members = [], empty = [] }: FileColumns,
): FieldError[] {
  const known = new Set([...headers, ...members]);
  /** Whether all members that give the canonical header their values are said to be something else. */
  const isFreed = (header: string): boolean => {
    const sources = members.filter((member) => meaningOf(member)?.field === header);
    return sources.length > 0 && sources.every((member) => columns.has(member));
  };
  const isFree = (header: string): boolean =>
    !known.has(header) || columns.has(header) || empty.includes(header) || isFreed(header);
  const taken = new Map<string, string>();
  const faults: FieldError[] = [];
  for (const column of columns.keys()) {
    const [name = null, said] = [targetOf(columns, column), saidUnit(columns, column)];
    const fault = (message: string) => faults.push({ field: `columns.${column}`, message });
    if (!known.has(column)) fault("is not a column of the file");
    else if (name !== null) {
      const other = taken.get(name);
      if (other !== undefined) fault(`is ${name}, and so is ${other}`);
      else if (!isFree(name)) {
        fault(
          `is ${name}, which is a column of the file too; name that as well, or leave it out with null`,
        );
      }
      const unit = unitInName(column, name);
      const units = unitsOf(name);
      if (said !== undefined && !units.includes(said)) {
        fault(
          `is in ${said}, but ${name} has ${units.length > 0 ? units.join(" or ") : "no unit"}`,
        );
      } else if (said === undefined && "fault" in unit)
        fault(`is ${unit.fault}, which is not read as ${name}`);
      taken.set(name, column);
    }
  }
  return faults;
}
