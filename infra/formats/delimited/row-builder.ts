import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { normaliseName } from "#contracts/seismic-event/names.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { isMissingWord, isNumeric } from "#contracts/seismic-event/written-numbers.ts";
import {
  clockOf,
  isDateAlone,
  type TimePartNames,
  timePartNames,
} from "#contracts/seismic-event/written-times.ts";
import { readSplitTime } from "../file-sense.ts";
import type { RowSink } from "../format-reader.ts";
import { mapEventType } from "../written-values.ts";
import { dropScedcMagnitude, isData, isScedc, type RowFinisher, type RowNotes } from "./cells.ts";
import { type ColumnMeaning, MAX_COLUMNS, type MeantColumn } from "./column-names.ts";
import type { FileShape } from "./file-shape.ts";
import type { Dialect } from "./record-reader.ts";
import {
  type ColumnOptions,
  createEmptinessTest,
  createTableColumns,
  LEFT_OUT,
} from "./table-columns.ts";

export type RowBuilder = ReturnType<typeof createRowBuilder>;

export type RowOptions = ColumnOptions & {
  /** ZMAP's years are decimal: the row gets the whole year, and the decimal one is kept under `extra`. */
  readonly decimalYear: boolean;
};

/** Makes rows from records, with one value per column; `own` are the file's own column names. */
export function createRowBuilder(
  own: readonly string[],
  options: RowOptions,
  sink: RowSink,
  headerLine: number,
) {
  const widthOf = createRowWidth(own);
  const table = createTableColumns(own, options, (message) => sink.warning(headerLine, message));
  const { names, keys, columns } = table;
  const emptiness = createEmptinessTest(own, columns);
  const { dialect, endsInNumber } = options.shape;
  const misfitOf = createFitTest(options.shape, columns);
  const build = createCellsReader(table, rowFinishers(table, options.decimalYear), sink);

  function tellMisfit(fields: readonly string[], line: number, text: () => string): void {
    const count = `The row has ${fields.length} fields where there are ${own.length} columns`;
    const isLonger = fields.length > own.length;
    const whole = isLonger ? withRest(fields, columns, dialect, endsInNumber, text) : null;
    const last = JSON.stringify(names.at(-1));
    if (whole !== null) {
      sink.warning(line, `${count}; ${JSON.stringify(names[whole.taker])} takes the rest`);
      sink.row(build(whole.fields, own.length, line), line);
    } else if (isLonger && endsInNumber) sink.error(line, `${count}, and ${last} is a number`);
    else sink.error(line, count);
  }

  return {
    /** Emits the row of a record, or its error; `text`, during the call, is the record in the file. */
    tell(fields: readonly string[], line: number, text: () => string): void {
      const width = fields.length === own.length ? own.length : widthOf(fields);
      const empty = emptiness(fields);
      const misfit = fields.length < own.length ? null : misfitOf(fields, text);
      if (empty !== null) sink.warning(line, empty);
      else if (misfit !== null) sink.error(line, misfit, { beyondLimit: true });
      else if (width === null) tellMisfit(fields, line, text);
      else if (isSame(fields, own)) {
        sink.warning(line, "The row repeats the header; it is left out");
      } else {
        if (width > names.length) table.add(width - own.length);
        sink.row(build(fields, Math.max(width, own.length), line), line);
      }
    },
    /** The column names, including columns that only some rows have. */
    names: (): readonly string[] => names,
    /** The keys of the rows, by column; `LEFT_OUT` for none. */
    keys: (): readonly string[] => keys,
  };
}

/** Returns what makes a row of a record's fields, up to a width. */
function createCellsReader(
  { keys, columns, readers }: ReturnType<typeof createTableColumns>,
  finishers: readonly RowFinisher[],
  sink: RowSink,
): (fields: readonly string[], width: number, line: number) => JsonObject {
  const notes = createRowNotebook(sink);
  const extraColumn = keys[columns.findIndex(({ meaning }) => meaning === "extra")] ?? "extra";

  return (fields, width, line) => {
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
  };
}

function isSame(fields: readonly string[], own: readonly string[]): boolean {
  return fields[0] === own[0] && own.every((name, i) => fields[i] === name);
}

/** Columns that ISC's CSV repeats at the end of a row, once per magnitude. */
const REPEATED = ["author", "type", "mag"];

/**
 * The number of fields to read, without empty ones beyond the columns; null when it does not fit.
 */
function createRowWidth(own: readonly string[]): (fields: readonly string[]) => number | null {
  const width = own.length;
  const repeats = own
    .slice(-REPEATED.length)
    .every((name, i) => normaliseName(name) === REPEATED[i]);

  return (fields) => {
    let length = fields.length;
    while (length > width && fields[length - 1] === "") length--;
    if (length === width) return length;
    if (!repeats || length > MAX_COLUMNS) return null;
    const groups = Math.ceil((length - width) / REPEATED.length);
    const whole = width + groups * REPEATED.length;
    return groups >= -1 && whole <= fields.length ? whole : null;
  };
}

/**
 * The fields of a record that has more of them than there are columns, because its last text has the
 * delimiter in it: that column takes the rest. In FDSN text it may be the one before the event's type.
 * Null where no column may take it.
 * @param endsInNumber the last column holds numbers in the file's first lines
 */
function withRest(
  fields: readonly string[],
  columns: readonly MeantColumn[],
  dialect: Dialect,
  endsInNumber: boolean,
  line: () => string,
): { readonly fields: readonly string[]; readonly taker: number } | null {
  const last = columns.length - 1;
  const isTyped =
    columns[last]?.meaning === "event_type" && columns[last - 1]?.meaning === "region";
  const type = fields.at(-1) ?? "";
  const after = isTyped && (type === "" || mapEventType(type) !== null) ? 1 : 0;
  const taker = last - after;
  if (taker < 1 || !isText(columns[taker]) || (after === 0 && endsInNumber)) return null;
  const end = fields.length - after;
  // More likely a decimal comma than the beginning of a text.
  if (dialect.delimiter !== " " && isNumeric(fields[taker] ?? "")) return null;
  const rest = textOf(fields.slice(taker, end), { taker, after }, dialect, line());
  return { fields: [...fields.slice(0, taker), rest, ...fields.slice(end)], taker };
}

function isText(column: MeantColumn | undefined): boolean {
  const meaning = column?.meaning ?? null;
  if (meaning === null) return true;
  const attribute =
    Object.hasOwn(ATTRIBUTES, meaning) && ATTRIBUTES[meaning as keyof typeof ATTRIBUTES];
  return attribute !== false && attribute.kind === "text";
}

/** The fields as they stand in the line, with the blanks between them, unless there are quotes. */
function textOf(
  fields: readonly string[],
  { taker, after }: { readonly taker: number; readonly after: number },
  { delimiter, quoting }: Dialect,
  line: string,
): string {
  if (delimiter === " " || (quoting && line.includes('"'))) return fields.join(delimiter);
  const parts = line.trim().split(delimiter);
  return parts
    .slice(taker, parts.length - after)
    .join(delimiter)
    .trim();
}

/** Attributes whose cells have no letters alone. */
const NUMBERS: ReadonlySet<ColumnMeaning | null> = new Set([
  "latitude",
  "longitude",
  "depth",
  "magnitude",
]);
/** Share of a row's cells that stand under names where the file has fixed columns. */
const ALIGNED_SHARE = 0.75;
/** Names of one character are between two blanks by chance. */
const LEAST_LENGTH = 2;

type Span = { readonly from: number; readonly to: number };

/**
 * Blanks divide a table only where every cell is filled: one that is left blank shifts the others, and words
 * with blanks between them may make up for it. Returns why a row shows that a table is divided otherwise than
 * its header, which nothing of such a table can be trusted after; null for any other row.
 *
 * - Letters alone stand where a position, a depth or a magnitude should.
 * - In a table with fixed columns a name has nothing below it, and the cell that is counted as its stands
 *   under another name.
 */
function createFitTest(
  { header, dialect }: Pick<FileShape, "header" | "dialect">,
  columns: readonly MeantColumn[],
): (fields: readonly string[], text: () => string) => string | null {
  if (header === null || dialect.delimiter !== " ") return () => null;
  const names = spansOf(header.text);
  const isFixed = / {2,}/.test(header.text.trim()) && !header.text.includes("\t");
  const nameOf = ({ from, to }: Span) => header.text.slice(from, to);

  function shifted(row: string): string | null {
    const cells = spansOf(row);
    if (row.includes("\t") || cells.length < names.length) return null;
    const above = cells.map((cell) => names.find((name) => isUnder(cell, name)));
    if (above.filter(Boolean).length < cells.length * ALIGNED_SHARE) return null;
    for (const [i, name] of names.entries()) {
      const [cell, other] = [cells[i], above[i]];
      if (cell === undefined || other === undefined || other === name) continue;
      if (name.to - name.from < LEAST_LENGTH || row.slice(name.from, name.to).trim() !== "")
        continue;
      const text = JSON.stringify(row.slice(cell.from, cell.to));
      return `${text} stands under ${nameOf(other)}, but is counted as ${nameOf(name)}`;
    }
    return null;
  }

  function misread(fields: readonly string[]): string | null {
    const isNoNumber = ({ meaning }: MeantColumn, i: number) =>
      NUMBERS.has(meaning) && isWord(fields[i] ?? "");
    // A row of words alone may tell units.
    const place = fields.some(isData) ? columns.findIndex(isNoNumber) : -1;
    const name = names[place];
    return name ? `${JSON.stringify(fields[place])} is counted as ${nameOf(name)}` : null;
  }

  return (fields, text) => {
    // A header that was marked as a comment begins behind its marks.
    const told = (isFixed && shifted(text().slice(header.marks))) || misread(fields);
    if (!told) return null;
    return `The rows do not keep to the header, whose blanks do not divide them: ${told}. Divide the columns by a delimiter`;
  };
}

function spansOf(line: string): Span[] {
  return Array.from(line.matchAll(/\S+/g), ({ 0: word, index }) => ({
    from: index,
    to: index + word.length,
  }));
}

/** Whether half of the shorter of the two stands above or below the other. */
function isUnder(cell: Span, name: Span): boolean {
  const shared = Math.min(cell.to, name.to) - Math.max(cell.from, name.from);
  return shared * 2 >= Math.min(cell.to - cell.from, name.to - name.from);
}

function isWord(text: string): boolean {
  return /\p{L}/u.test(text) && !/\d/.test(text) && !isMissingWord(text);
}

function createRowNotebook(sink: Pick<RowSink, "warning">) {
  let line = 0;
  let originals: JsonObject | null = null;
  const topics = new Set<string>();

  function warn(column: string, message: string): void {
    sink.warning(line, `${column}: ${message}`);
  }

  return {
    warn,
    warnOnce(column: string, message: string, topic = message): void {
      const key = `${column}: ${topic}`;
      if (topics.has(key)) return;
      topics.add(key);
      warn(column, message);
    },
    keep(column: string, original: JsonValue): void {
      originals ??= {};
      originals[column] = original;
    },
    open(of: number): void {
      line = of;
      originals = null;
    },
    /** Adds the kept originals to the row's `extra`. */
    close(row: JsonObject, extraColumn: string): void {
      if (originals !== null) row[extraColumn] = merge(row[extraColumn], originals, extraColumn);
    },
  };
}

/** A value that the file itself has under a name stays; the original goes under it with `.1`. */
function merge(own: JsonValue | undefined, originals: JsonObject, column: string): JsonObject {
  if (own === null || own === undefined) return originals;
  const extra: JsonObject = isJsonObject(own) ? { ...own } : { [column]: own };
  for (const [name, value] of Object.entries(originals)) {
    extra[Object.hasOwn(extra, name) ? `${name}.1` : name] = value;
  }
  return extra;
}

/** The steps that complete each row after its cells were read. */
function rowFinishers(
  { names, keys, columns }: ReturnType<typeof createTableColumns>,
  decimalYear: boolean,
): RowFinisher[] {
  const finishers: RowFinisher[] = [];
  const gives = (field: MeantColumn["meaning"]) => columns.some(({ meaning }) => meaning === field);
  // Validation refuses a missing magnitude; a file without a column for it says "unknown".
  if (!gives("magnitude")) {
    finishers.push((row) => {
      row["magnitude"] = null;
    });
  }
  if (isScedc(names)) finishers.push(dropScedcMagnitude(names, keys));
  if (decimalYear) finishers.push(splitDecimalYear);
  const parts = timePartNames(keys.filter((_, i) => columns[i]?.meaning === "part"));
  const whole = keys.filter((_, i) => ["time", "date"].includes(columns[i]?.meaning ?? ""));
  if (parts !== null) finishers.push(checkSplitTime(parts, whole));
  const renamed = keys.flatMap((key, i) => {
    const name = names[i] ?? key;
    return columns[i]?.meaning === "part" && key !== name ? [{ key, name }] : [];
  });
  if (renamed.length > 0) finishers.push(keepUnusedParts(renamed, whole));
  return finishers;
}

function splitDecimalYear(row: JsonObject, _: readonly string[], notes: RowNotes): void {
  const year = row["year"];
  if (typeof year !== "number" || Number.isInteger(year)) return;
  notes.keep("decimal_year", year);
  row["year"] = Math.floor(year);
}

/** Warns of parts that make no time, in rows without a whole one. The parts stay in the row. */
function checkSplitTime(parts: TimePartNames, whole: readonly string[]): RowFinisher {
  return (row, _, notes) => {
    if (whole.some((name) => row[name] !== null)) return;
    const { warning } = readSplitTime(row, parts);
    if (warning !== null) notes.warn("time", warning);
  };
}

/** Parts beside a whole time are nothing but further values, under the file's own names. */
function keepUnusedParts(
  parts: readonly { readonly key: string; readonly name: string }[],
  whole: readonly string[],
): RowFinisher {
  return (row, _, notes) => {
    const texts = whole.flatMap((name) => (typeof row[name] === "string" ? [row[name]] : []));
    if (texts.every((text) => isDateAlone(text)) || texts.every((text) => clockOf(text) !== null)) {
      return;
    }
    for (const { key, name } of parts) {
      const value = row[key] ?? null;
      if (value !== null) notes.keep(name, value);
      delete row[key];
    }
  };
}
