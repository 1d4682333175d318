import type { FormatReader, RowSink, UploadFormat } from "../format-reader.ts";
import type { Delimiter } from "./dialect.ts";
import { type FileShape, findShape } from "./file-shape.ts";
import { type SampleLine, takeSample } from "./sample.ts";
import { createTableReader, type TableReader } from "./table-reader.ts";

export type DelimitedOptions = {
  /** `" "` stands for runs of blanks and tabs; `auto` finds the delimiter in the first lines. */
  readonly delimiter: Delimiter | "auto";
  /** The file name's extension, which decides between csv and txt for tabs. */
  readonly extension?: string;
};

/** Text is looked at again once it has grown by this part of itself. */
const REGROWTH = 16;
/** Of the characters at a file's head, the part that may be none of any text. */
const MAX_BINARY_SHARE = 0.05;

/**
 * A reader of delimited text (contract §7): delimiter, header and layout are found from the first
 * lines, then each record is one row, keyed by the file's own column names. Quotes are those of
 * RFC 4180. Layouts: domain notes §2.6.
 *
 * - Rows with faulty quotes, with more or fewer fields than columns, or longer than 4 MiB are errors.
 * - Lines before the header, a header that is repeated, rows without any value are warnings, and so
 *   are values that are out of range or are not what their column is for.
 * - Values are numbers where the column is one of our numbers, or where printing the number gives the
 *   text again; ids, names and times stay text. Sentinels and legacy event types are replaced, and
 *   kept under `extra` by their column's name.
 */
export function createDelimitedReader(sink: RowSink, options: DelimitedOptions): FormatReader {
  let head = "";
  let looked = 0;
  let table: TableReader | null = null;
  let format = delimitedFormat(",", true, "");
  let unreadable = false;

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
    const hasHeader = header !== null;
    format = delimitedFormat(dialect.delimiter, hasHeader, options.extension ?? "");
    const fault = faultOf(lines, shape, options.delimiter);
    if (fault !== null || first === undefined) {
      unreadable = true;
      head = "";
      sink.error(1, fault ?? "There are only comments");
      return;
    }
    warnOfPreamble(lines, first, sink);
    table = createTableReader(shape, first.number, sink);
    const text = head.slice(first.offset);
    head = "";
    table.write(text);
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
    end() {
      if (table === null && !unreadable) look(true);
      table?.end();
      return { headers: table?.headers() ?? [], format };
    },
  };
}

/** Lines before the header that are no comments: a page's text, for example. */
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
 * Which of the two formats of the contract (§7) a delimited file is: `csv` for commas and semicolons,
 * `txt` for pipes (FDSN text) and blanks (ZMAP). Tabs are `csv` with a header, unless the file's
 * extension says that it is a text or a tab-separated one.
 */
function delimitedFormat(
  delimiter: Delimiter,
  hasHeader: boolean,
  extension: string,
): UploadFormat {
  switch (delimiter) {
    case ",":
    case ";":
      return "csv";
    case "|":
    case " ":
      return "txt";
    case "\t":
      return hasHeader && !/^\.?(?:txt|dat|tsv|tab)$/i.test(extension) ? "csv" : "txt";
    default: {
      const unknown: never = delimiter;
      throw new Error(`unknown delimiter: ${unknown}`);
    }
  }
}
