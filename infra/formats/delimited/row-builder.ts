import { normaliseName } from "#contracts/seismic-event/input-names.ts";
import type { NamedColumns } from "#contracts/seismic-event/named-columns.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { RowSink } from "../format-reader.ts";
import { isQuakesearch } from "../unknown-numbers.ts";
import { columnReader } from "./column-reader.ts";
import { columnMeanings, type MeantColumn, nameColumns } from "./columns.ts";
import {
  type CellReader,
  createRowNotebook,
  type FinisherOptions,
  rowFinishers,
} from "./row-notebook.ts";
import { createRowWidth } from "./row-width.ts";
import { isScedc } from "./scedc.ts";

export type RowBuilder = {
  /** Emits the row of a record, or its error. */
  readonly tell: (fields: readonly string[], line: number) => void;
  /** The column names, including columns that only some rows have. */
  readonly names: () => readonly string[];
  /** The keys of the rows, by column; `LEFT_OUT` for none. */
  readonly keys: () => readonly string[];
};

export type RowOptions = FinisherOptions & {
  /** Indexes of columns with codes that look like numbers. */
  readonly codes: ReadonlySet<number>;
  readonly columns: NamedColumns;
};

/** Stands among the keys for a column that is left out: no name, so it has no meaning. */
const LEFT_OUT = "";

/**
 * Makes rows from records, with one value per column; `given` are the file's own column names. A
 * column that is said to be something is read as a column of that name. What tells a kind of file
 * are its own names, whatever is said of them.
 */
export function createRowBuilder(
  given: readonly string[],
  options: RowOptions,
  sink: RowSink,
  headerLine: number,
): RowBuilder {
  const warn = (message: string) => sink.warning(headerLine, message);
  const notes = createRowNotebook(sink);
  const widthOf = createRowWidth(given);
  const emptiness = createEmptinessTest(given);
  const names = nameColumns(given, warn);
  const keys = keysOf(names, options.columns);
  const columns = columnMeanings(keys);
  const traits = {
    splitDate: columns.some(({ meaning }) => meaning === "date" || meaning === "part"),
    zeroIsUnknown: isQuakesearch(names),
    isScedc: isScedc(names),
    codes: new Set(names.filter((_, i) => options.codes.has(i))),
  };
  const readers: CellReader[] = [];
  addReaders(columns);
  const finishers = rowFinishers({ names, keys }, columns, options);
  const extraColumn = keys[columns.findIndex(({ meaning }) => meaning === "extra")] ?? "extra";

  function addReaders(all: readonly MeantColumn[]): void {
    for (let i = readers.length; i < names.length; i++) {
      const [name, column] = [names[i], all[i]];
      if (name !== undefined && column !== undefined) {
        readers.push(columnReader(name, column, traits));
      }
    }
  }

  function addColumns(count: number): void {
    const repeated = given.slice(-3);
    const added = Array.from({ length: count }, (_, i) => repeated[i % 3] ?? "");
    const all = nameColumns([...given, ...added], () => {});
    names.push(...all.slice(names.length));
    keys.push(...keysOf(names, options.columns).slice(keys.length));
    addReaders(columnMeanings(keys));
  }

  function build(fields: readonly string[], width: number, line: number): JsonObject {
    const row: JsonObject = {};
    notes.open(line);
    for (let i = 0; i < width; i++) {
      const [key, read] = [keys[i], readers[i]];
      if (key !== undefined && key !== LEFT_OUT && read !== undefined) {
        row[key] = read(fields[i] ?? "", notes);
      }
    }
    for (const finish of finishers) finish(row, fields, notes);
    notes.close(row, extraColumn);
    return row;
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
    keys: () => keys,
  };
}

/**
 * What columns are called in rows. A column that is said to be what its name says keeps its name,
 * which may also tell a unit or a type, unless another column has the same meaning.
 */
function keysOf(names: readonly string[], columns: NamedColumns): string[] {
  if (columns.size === 0) return [...names];
  const meanings = columnMeanings(names).map(({ meaning }) => meaning);
  return names.map((name, i) => {
    const said = columns.get(name);
    if (said === undefined) return name;
    if (said === null) return LEFT_OUT;
    const isKnown = meanings.every((meaning, k) => (meaning === said) === (k === i));
    return isKnown ? name : said;
  });
}

/** Returns why a record describes no event although it is readable; else null. */
function createEmptinessTest(
  given: readonly string[],
): (fields: readonly string[]) => string | null {
  const catalogue = given.findIndex((name) => normaliseName(name) === "catalogid");
  return (fields) => {
    const filled = fields.flatMap((field, i) => (field === "" ? [] : [i]));
    if (filled.length === 0) return "The row holds no value at all; it is left out";
    // CSEP: `,,,,,9,` is a catalogue without events.
    if (filled.length > 1 || filled[0] !== catalogue) return null;
    return `The row says that catalogue ${fields[catalogue]} has no events; it is left out`;
  };
}

function isSame(fields: readonly string[], given: readonly string[]): boolean {
  return fields[0] === given[0] && given.every((name, i) => fields[i] === name);
}
