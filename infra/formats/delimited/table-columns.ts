import { normaliseName, unitInName } from "#contracts/seismic-event/input-names.ts";
import { type NamedColumns, saidUnit, targetOf } from "#contracts/seismic-event/named-columns.ts";
import type { FileSense } from "../file-sense.ts";
import { isQuakesearch } from "../unknown-numbers.ts";
import { isDecimalComma, pointNumber } from "./cell.ts";
import { columnReader } from "./column-reader.ts";
import { columnMeanings, type MeantColumn, nameColumns } from "./columns.ts";
import type { FileShape } from "./file-shape.ts";
import type { CellReader } from "./row-notes.ts";
import { isScedc } from "./scedc.ts";
import { sampledCells } from "./unknown-columns.ts";

export type ColumnOptions = {
  readonly shape: Pick<FileShape, "codes" | "dialect" | "endsInNumber" | "header" | "sample">;
  readonly columns: NamedColumns;
  readonly sense: FileSense;
};

/** Stands among the keys for a column that is left out: no name, so it has no meaning. */
export const LEFT_OUT = "";

/**
 * A table's columns: their names, their keys in rows, and the readers of their cells. A column that is
 * said to be something is read as a column of that name. What tells a kind of file are its own names,
 * whatever is said of them.
 * @param own the file's own column names
 */
export function createTableColumns(
  own: readonly string[],
  options: ColumnOptions,
  warn: (message: string) => void,
) {
  const names = nameColumns(own, warn);
  const keys = keysOf(names, options.columns);
  const columns = meantColumns(names, keys, options.columns);
  const { sample, dialect } = options.shape;
  const traits = {
    splitDate: columns.some(({ meaning }) => meaning === "date" || meaning === "part"),
    zeroIsUnknown: isQuakesearch(names),
    isScedc: isScedc(names),
    codes: new Set(names.filter((_, i) => options.shape.codes.has(i))),
    commas: new Set(
      names.filter((name, i) => mayHaveCommas(name, sampledCells(sample, i), dialect.delimiter)),
    ),
    sense: options.sense,
  };
  const readers: CellReader[] = [];
  addReaders(columns);

  function addReaders(all: readonly MeantColumn[]): void {
    for (let i = readers.length; i < names.length; i++) {
      const [name, column] = [names[i], all[i]];
      if (name !== undefined && column !== undefined) {
        readers.push(columnReader(name, column, traits));
      }
    }
  }

  return {
    names,
    keys,
    columns,
    readers,
    /** Adds columns that only some rows have, which repeat the last three. */
    add(count: number): void {
      const repeated = own.slice(-3);
      const added = Array.from({ length: count }, (_, i) => repeated[i % 3] ?? "");
      const all = nameColumns([...own, ...added], () => {});
      names.push(...all.slice(names.length));
      keys.push(...keysOf(names, options.columns).slice(keys.length));
      addReaders(meantColumns(names, keys, options.columns));
    },
  };
}

/** Whether a column of numbers may have decimal commas: one has, or they do not divide columns. */
function mayHaveCommas(name: string, cells: readonly string[], delimiter: string): boolean {
  // A name with a comma is that of several values.
  if (name.includes(",")) return false;
  const isNumbers = cells.length > 0 && cells.every((cell) => !Number.isNaN(pointNumber(cell)));
  return isNumbers && (delimiter !== "," || cells.some(isDecimalComma));
}

/** Columns with another key than their name are read in the unit that they are said to have, or their name says. */
function meantColumns(
  names: readonly string[],
  keys: readonly string[],
  said: NamedColumns,
): MeantColumn[] {
  return columnMeanings(keys).map((column, i) => {
    const [name = "", key = ""] = [names[i], keys[i]];
    const own = saidUnit(said, name);
    if (own !== undefined) return { ...column, places: 0, converts: true, said: own };
    if (name === key || column.meaning === null) return column;
    const unit = unitInName(name, column.meaning);
    const places = "fault" in unit ? 0 : (unit.places ?? 0);
    return { ...column, places, converts: true };
  });
}

/**
 * What columns are called in rows. A column that is said to be what its name says keeps its name,
 * which may also tell a unit or a type, unless its unit is said too, or another column that is not left out has
 * the same meaning.
 */
function keysOf(names: readonly string[], columns: NamedColumns): string[] {
  if (columns.size === 0) return [...names];
  const meanings = columnMeanings(names).map(({ meaning }, i) =>
    columns.get(names[i] ?? "") === null ? null : meaning,
  );
  return names.map((name, i) => {
    const target = targetOf(columns, name);
    if (target === undefined) return name;
    if (target === null) return LEFT_OUT;
    if (saidUnit(columns, name) !== undefined) return target;
    const isKnown = meanings.every((meaning, k) => (meaning === target) === (k === i));
    return isKnown ? name : target;
  });
}

/** Returns why a record describes no event although it is readable; else null. */
export function createEmptinessTest(
  own: readonly string[],
  columns: readonly MeantColumn[],
): (fields: readonly string[]) => string | null {
  const catalogue = own.findIndex((name) => normaliseName(name) === "catalogid");
  const withMeaning = columns.flatMap(({ meaning }, i) => (meaning === null ? [] : [i]));
  const isOfEvent = (fields: readonly string[]) =>
    withMeaning.some((i) => (fields[i] ?? "") !== "");
  return (fields) => {
    if (isOfEvent(fields)) return null;
    const filled = fields.flatMap((field, i) => (field === "" ? [] : [i]));
    const [only = -1, ...more] = filled;
    if (only === -1) return "The row holds no value at all; it is left out";
    if (withMeaning.length === 0 || more.length > 0) return null;
    // CSEP: `,,,,,9,` is a catalogue without events.
    return only === catalogue
      ? `The row says that catalogue ${fields[catalogue]} has no events; it is left out`
      : `The row holds nothing but ${JSON.stringify(own[only])}; it is left out`;
  };
}
