import { normaliseName, unitInName } from "#contracts/seismic-event/input-names.ts";
import type { NamedColumns } from "#contracts/seismic-event/named-columns.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { RowSink } from "../format-reader.ts";
import type { TimeSense } from "../time-sense.ts";
import { isQuakesearch } from "../unknown-numbers.ts";
import { columnReader } from "./column-reader.ts";
import { columnMeanings, type MeantColumn, nameColumns } from "./columns.ts";
import type { FileShape } from "./file-shape.ts";
import { withRest } from "./last-column.ts";
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
  readonly tell: (fields: readonly string[], line: number, text: () => string) => void;
  /** The column names, including columns that only some rows have. */
  readonly names: () => readonly string[];
  /** The keys of the rows, by column; `LEFT_OUT` for none. */
  readonly keys: () => readonly string[];
};

export type RowOptions = FinisherOptions & {
  readonly shape: Pick<FileShape, "codes" | "dialect" | "endsInNumber">;
  readonly columns: NamedColumns;
  readonly sense: TimeSense;
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
  const names = nameColumns(given, warn);
  const keys = keysOf(names, options.columns);
  const columns = meantColumns();
  const traits = {
    splitDate: columns.some(({ meaning }) => meaning === "date" || meaning === "part"),
    zeroIsUnknown: isQuakesearch(names),
    isScedc: isScedc(names),
    codes: new Set(names.filter((_, i) => options.shape.codes.has(i))),
    sense: options.sense,
  };
  const emptiness = createEmptinessTest(given, columns);
  const { dialect, endsInNumber } = options.shape;
  const lastColumn = { columns, dialect, isNumeric: endsInNumber };
  const readers: CellReader[] = [];
  addReaders(columns);
  const finishers = rowFinishers({ names, keys }, columns, options);
  const extraColumn = keys[columns.findIndex(({ meaning }) => meaning === "extra")] ?? "extra";

  function meantColumns(): MeantColumn[] {
    return columnMeanings(keys).map((column, i) => {
      const [name = "", key = ""] = [names[i], keys[i]];
      if (name === key || column.meaning === null) return column;
      const unit = unitInName(name, column.meaning);
      const places = "fault" in unit ? 0 : (unit.places ?? 0);
      return { ...column, places, converts: true };
    });
  }

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
    addReaders(meantColumns());
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

  function tellMisfit(fields: readonly string[], line: number, text: () => string): void {
    const count = `The row has ${fields.length} fields where there are ${given.length} columns`;
    const isLonger = fields.length > given.length;
    const whole = isLonger ? withRest(fields, lastColumn, text) : null;
    const last = JSON.stringify(names.at(-1));
    if (whole !== null) {
      sink.warning(line, `${count}; ${JSON.stringify(names[whole.taker])} takes the rest`);
      sink.row(build(whole.fields, given.length, line), line);
    } else if (isLonger && endsInNumber) sink.error(line, `${count}, and ${last} is a number`);
    else sink.error(line, count);
  }

  return {
    tell(fields, line, text) {
      const width = fields.length === given.length ? given.length : widthOf(fields);
      const empty = emptiness(fields);
      if (empty !== null) sink.warning(line, empty);
      else if (width === null) tellMisfit(fields, line, text);
      else if (isSame(fields, given)) {
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
  columns: readonly MeantColumn[],
): (fields: readonly string[]) => string | null {
  const catalogue = given.findIndex((name) => normaliseName(name) === "catalogid");
  const known = columns.flatMap(({ meaning }, i) => (meaning === null ? [] : [i]));
  const isOfEvent = (fields: readonly string[]) => known.some((i) => (fields[i] ?? "") !== "");
  return (fields) => {
    if (isOfEvent(fields)) return null;
    const filled = fields.flatMap((field, i) => (field === "" ? [] : [i]));
    const [only = -1, ...more] = filled;
    if (only === -1) return "The row holds no value at all; it is left out";
    if (known.length === 0 || more.length > 0) return null;
    // CSEP: `,,,,,9,` is a catalogue without events.
    return only === catalogue
      ? `The row says that catalogue ${fields[catalogue]} has no events; it is left out`
      : `The row holds nothing but ${JSON.stringify(given[only])}; it is left out`;
  };
}

function isSame(fields: readonly string[], given: readonly string[]): boolean {
  return fields[0] === given[0] && given.every((name, i) => fields[i] === name);
}
