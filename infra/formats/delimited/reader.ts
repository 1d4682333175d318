import { type NamedColumns, NO_NAMED_COLUMNS } from "#contracts/seismic-event/columns.ts";
import { meaningOf, remarksOnUnread, zoneInName } from "#contracts/seismic-event/names.ts";
import { timePartNames, timePartOf } from "#contracts/seismic-event/written-times.ts";
import { inOneStep } from "../../kernel/iteration.ts";
import { createFileSense, type FileReading } from "../file-sense.ts";
import type { FormatReader, RowSink, UploadFormat } from "../format-reader.ts";
import {
  type ColumnMeaning,
  columnMeanings,
  columnsFault,
  countMeanings,
  ZMAP_TITLE,
} from "./column-names.ts";
import {
  type FileShape,
  findShape,
  type SampleLine,
  type SampleRows,
  takeSample,
} from "./file-shape.ts";
import { createRecordReader, type Delimiter } from "./record-reader.ts";
import { createRowBuilder, type RowBuilder, type RowOptions } from "./row-builder.ts";
import { holdsDates, remarksOnUnknown, sampledCells } from "./table-columns.ts";

export type DelimitedOptions = {
  /** `" "` means runs of blanks and tabs; `auto` finds the delimiter from the first lines. */
  readonly delimiter: Delimiter | "auto";
  /** The file name's extension, which decides between csv and txt for tabs. */
  readonly extension?: string;
  /** What columns are, instead of what their names say. */
  readonly columns?: NamedColumns;
} & FileReading;

/** While the sample is incomplete, it is tried again after growing by 1/16. */
const REGROWTH = 16;
/** Largest share of characters at a file's head that never occur in text. */
const MAX_BINARY_SHARE = 0.05;
/** Known names without which a line of words is no header. */
const LEAST_MEANINGS = 2;

/**
 * A reader of delimited text. It finds delimiter, header and layout from the first lines; then each
 * record is one row, keyed by the file's own column names, or by what a column is said to be. Quotes are those
 * of RFC 4180. Layouts: `contracts/seismic-event/README.md`, Catalogue files.
 *
 * - Errors: rows with faulty quotes, with fewer fields than columns, or with more where the last column
 *   is no text that can take the rest, or longer than 4 MiB.
 * - Warnings: lines before the header, a repeated header, rows without any value, and values that
 *   are out of range or of the wrong kind for their column.
 * - Cells become numbers in numeric columns of ours, and elsewhere if printing the number gives the
 *   same text; ids and names stay text, and times are texts that ISO 8601 has. Sentinels and legacy event types
 *   are replaced, with the original under `extra` by the column's name.
 */
export function createDelimitedReader(sink: RowSink, options: DelimitedOptions): FormatReader {
  let head = "";
  let looked = 0;
  let table: ReturnType<typeof createTableReader> | null = null;
  let format = delimitedFormat(",", true, "");
  let unreadable = false;
  const sense = createFileSense(options);

  function look(last: boolean): void {
    if (!last && (head.length - looked) * REGROWTH < looked) return;
    looked = head.length;
    const lines = takeSample(head, last);
    if (lines !== null && lines.length > 0) begin(lines);
  }

  function begin(lines: readonly SampleLine[]): void {
    const shape = findShape(lines, options.delimiter);
    const { header, dialect } = shape;
    const first = header ?? lines.find(({ comment }) => !comment);
    format = delimitedFormat(dialect.delimiter, header !== null, options.extension ?? "");
    const fault = faultOf(lines, shape, options.delimiter);
    if (fault !== null || first === undefined) {
      unreadable = true;
      head = "";
      sink.error(1, fault ?? "There are only comments");
      return;
    }
    warnOfPreamble(lines, first, sink);
    const { columns = NO_NAMED_COLUMNS } = options;
    table = createTableReader(shape, first.number, { columns, sense }, sink);
    table.write(head.slice(first.offset));
    head = "";
  }

  return {
    write(text) {
      if (unreadable) return;
      if (table !== null) table.write(text);
      else {
        head += head === "" && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
        look(false);
      }
    },
    end: () =>
      inOneStep(() => {
        if (table === null && !unreadable) look(true);
        table?.end();
        const headers = table?.headers() ?? [];
        const isCatalogue = countMeanings(headers) >= LEAST_MEANINGS;
        const again = sense.decision();
        return { headers, format, isCatalogue, ...(again && { again }) };
      }),
  };
}

/** Warns of lines before the header that are not comments: for example a page's text. */
function warnOfPreamble(lines: readonly SampleLine[], first: SampleLine, sink: RowSink): void {
  const skipped = lines.filter(({ comment, number }) => !comment && number < first.number);
  const [from, to] = [skipped[0], skipped.at(-1)];
  if (from === undefined || to === undefined) return;
  const which = from === to ? `Line ${from.number} is` : `Lines ${from.number} to ${to.number} are`;
  sink.warning(from.number, `${which} left out: the header comes after`);
}

function faultOf(
  lines: readonly SampleLine[],
  { width, header, layout }: FileShape,
  delimiter: DelimitedOptions["delimiter"],
): string | null {
  if (isBinary(lines)) return "This is no text but binary data";
  if (header === null && lines.every(({ comment }) => comment)) return "There are only comments";
  if (width > 1 || header?.comment === true || layout !== null || delimiter !== "auto") return null;
  return "This is no table: no delimiter divides its lines into columns";
}

function isBinary(lines: readonly SampleLine[]): boolean {
  const text = lines.map((line) => line.text).join("");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const marks = text.match(/[\0-\x08\x0E-\x1F\x7F\uFFFD]/g)?.length ?? 0;
  return marks > text.length * MAX_BINARY_SHARE;
}

/**
 * `csv` for commas and semicolons, `txt` for pipes (FDSN text) and blanks (ZMAP). Tabs are `csv` with
 * a header, unless the extension marks a text or tab-separated file.
 */
function delimitedFormat(
  delimiter: Delimiter,
  hasHeader: boolean,
  extension: string,
): UploadFormat {
  if (delimiter !== "\t") return delimiter === "," || delimiter === ";" ? "csv" : "txt";
  return hasHeader && !/^\.?(?:txt|dat|tsv|tab)$/i.test(extension) ? "csv" : "txt";
}

/** Reads a file from its header on, or from the first row without a header; `line` is that line. */
function createTableReader(
  shape: FileShape,
  line: number,
  { columns, sense }: Pick<RowOptions, "columns" | "sense">,
  sink: RowSink,
) {
  const { header, layout, dialect, sample } = shape;
  let rows: RowBuilder | null = null;
  let unreadable = false;

  function begin(names: readonly string[]): void {
    const fault = columnsFault(names) ?? foreignZone(names, columns, sample);
    if (fault !== null) {
      unreadable = true;
      sink.error(line, fault, { beyondLimit: true });
      return;
    }
    const decimalYear = layout?.title === ZMAP_TITLE;
    rows = createRowBuilder(names, { decimalYear, shape, columns, sense }, sink, line);
    const keys = rows.keys();
    const remarks = [...remarksOnMissing(keys), ...remarksOnUnits(keys)];
    if (header !== null) remarks.push(...remarksOnUnknown(keys, sample));
    for (const remark of remarks) sink.warning(line, remark);
  }

  const records = createRecordReader(dialect, line, {
    record(fields, at, text) {
      if (rows !== null) rows.tell(fields, at, text);
      else if (!unreadable) begin(fields);
    },
    fault(at, message) {
      if (rows === null && !unreadable) {
        unreadable = true;
        sink.error(at, `The header ${message}`);
      } else if (!unreadable) sink.error(at, `The row ${message}`);
    },
  });

  if (header === null) {
    const known = layout && `There is no header; the columns are read as those of ${layout.title}`;
    sink.warning(line, known ?? "There is no header, and the columns are none that are known");
    begin(layout?.names ?? Array.from({ length: shape.width }, () => ""));
  }

  return {
    write(text: string): void {
      if (!unreadable) records.write(text);
    },
    end(): void {
      if (!unreadable) records.end();
    },
    headers: (): readonly string[] => rows?.names() ?? [],
  };
}

const LISTED_PARTS = 10;

/**
 * Why the only times of a file, or the only times of day beside its dates, cannot be read: their
 * column's name says another zone; else null.
 */
function foreignZone(
  names: readonly string[],
  columns: NamedColumns,
  sample: SampleRows,
): string | null {
  const isTime = (name: string) => ["time", "date"].includes(meaningOf(name)?.field ?? "");
  const hasTime = names.some(
    (name, i) => columns.has(name) || (isTime(name) && !holdsDates(sampledCells(sample, i))),
  );
  const hasClock = names.some((name) => timePartOf(name) === "hour");
  for (const name of hasTime || hasClock || timePartNames(names) !== null ? [] : names) {
    const fault = zoneInName(name);
    if (fault !== null) return `the times of ${JSON.stringify(name)} are ${fault}`;
  }
  return null;
}

/** Which columns have a unit that is not read, where no other column gives the attribute. */
function remarksOnUnits(keys: readonly string[]): string[] {
  const known = new Set<string | null>(columnMeanings(keys).map(({ meaning }) => meaning));
  return remarksOnUnread(
    keys.filter((name) => zoneInName(name) === null),
    known,
  );
}

/** What the columns of these keys do not give, and every event needs. */
function remarksOnMissing(keys: readonly string[]): string[] {
  const columns = columnMeanings(keys);
  const meanings = new Set(columns.map(({ meaning }) => meaning));
  const isThere = (...any: ColumnMeaning[]) => any.some((meaning) => meanings.has(meaning));
  const missing = [
    ...(isThere("time", "date", "part") ? [] : ["time"]),
    ...(isThere("latitude") ? [] : ["latitude"]),
    ...(isThere("longitude") ? [] : ["longitude"]),
  ];
  const parts = keys.filter((_, i) => columns[i]?.meaning === "part");
  const arePartsWhole = parts.length === 0 || timePartNames(parts) !== null;
  return [
    ...(missing.length > 0 ? [`No column is recognised as ${missing.join(" or ")}`] : []),
    ...(isThere("time", "date") || arePartsWhole ? [] : [remarkOnParts(parts)]),
    ...(isThere("magnitude") ? [] : [NO_MAGNITUDE]),
  ];
}

const NO_MAGNITUDE = "No column is recognised as magnitude; it is null, not known, in all rows";

function remarkOnParts(parts: readonly string[]): string {
  const list = parts.slice(0, LISTED_PARTS).join(", ");
  return `No time can be made of ${list}: a year, a month and a day are needed`;
}
