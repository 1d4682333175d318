import { normaliseName } from "#contracts/seismic-event/input-names.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { RowSink } from "../format-reader.ts";
import { isQuakesearch } from "../unknown-at-zero.ts";
import { columnMeaning } from "./column-meaning.ts";
import { nameColumns } from "./column-names.ts";
import { columnReader } from "./column-reader.ts";
import { type CellReader, createRowNotebook } from "./row-notes.ts";
import { createRowWidth } from "./row-width.ts";

export type RowBuilder = {
  /** Tells the row of a record's fields, or what is wrong with it. */
  readonly tell: (fields: readonly string[], line: number) => void;
  /** The names of the columns, with those that only some rows have. */
  readonly names: () => readonly string[];
};

export type RowOptions = {
  /** ZMAP's year is a decimal one: the row gets the whole year, the decimal one is kept. */
  readonly decimalYear: boolean;
};

/** Makes rows from records, one value for each column; `given` are the file's names of the columns. */
export function createRowBuilder(
  given: readonly string[],
  { decimalYear }: RowOptions,
  sink: RowSink,
  headerLine: number,
): RowBuilder {
  const warn = (message: string) => sink.warning(headerLine, message);
  const notes = createRowNotebook(sink);
  const widthOf = createRowWidth(given);
  const emptiness = createEmptinessTest(given);
  const names = nameColumns(given, warn);
  const meanings = names.map(columnMeaning);
  const traits = {
    splitDate: meanings.includes("date") || meanings.includes("part"),
    zeroIsUnknown: isQuakesearch(names),
  };
  const readers: CellReader[] = names.map((name) => columnReader(name, traits));
  // A magnitude that nothing is said of would be refused as forgotten: the file says "not known".
  const givesMagnitude = meanings.includes("magnitude");
  const extraColumn = names[meanings.indexOf("extra")] ?? "extra";

  function addColumns(count: number): void {
    const repeated = given.slice(-3);
    const added = Array.from({ length: count }, (_, i) => repeated[i % 3] ?? "");
    const all = nameColumns([...given, ...added], () => {});
    for (const name of all.slice(names.length)) {
      names.push(name);
      readers.push(columnReader(name, traits));
    }
  }

  function build(fields: readonly string[], width: number, line: number): JsonObject {
    const row: JsonObject = {};
    notes.open(line);
    for (let i = 0; i < width; i++) {
      const [name, read] = [names[i], readers[i]];
      if (name !== undefined && read !== undefined) row[name] = read(fields[i] ?? "", notes);
    }
    if (!givesMagnitude) row["magnitude"] = null;
    if (decimalYear) splitDecimalYear(row);
    notes.close(row, extraColumn);
    return row;
  }

  function splitDecimalYear(row: JsonObject): void {
    const year = row["year"];
    if (typeof year !== "number" || Number.isInteger(year)) return;
    notes.keep("decimal_year", year);
    row["year"] = Math.floor(year);
  }

  return {
    tell(fields, line) {
      const width = fields.length === given.length ? given.length : widthOf(fields);
      const empty = fields[0] === "" ? emptiness(fields) : null;
      if (empty !== null) sink.warning(line, empty);
      else if (width === null) {
        sink.error(
          line,
          `The row has ${fields.length} fields where there are ${given.length} columns`,
        );
      } else if (isSame(fields, given)) {
        sink.warning(line, "The row repeats the header; it is left out");
      } else {
        if (width > names.length) addColumns(width - given.length);
        sink.row(build(fields, Math.max(width, given.length), line), line);
      }
    },
    names: () => names,
  };
}

/** Why a record says nothing about an event, though it is none that cannot be read; else null. */
function createEmptinessTest(
  given: readonly string[],
): (fields: readonly string[]) => string | null {
  const catalogue = given.findIndex((name) => normaliseName(name) === "catalogid");
  return (fields) => {
    const filled = fields.flatMap((field, i) => (field === "" ? [] : [i]));
    if (filled.length === 0) return "The row holds no value at all; it is left out";
    // CSEP: `,,,,,9,` is a catalogue in which nothing happened.
    if (filled.length > 1 || filled[0] !== catalogue) return null;
    return `The row says that catalogue ${fields[catalogue]} has no events; it is left out`;
  };
}

function isSame(fields: readonly string[], given: readonly string[]): boolean {
  return fields[0] === given[0] && given.every((name, i) => fields[i] === name);
}
