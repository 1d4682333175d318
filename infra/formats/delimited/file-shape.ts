import { parse } from "csv-parse/sync";
import { isNumeric } from "#contracts/seismic-event/written-numbers.ts";
import { isCode, isData } from "./cells.ts";
import { countMeanings, FDSN_TITLE, findKnownLayout, type KnownLayout } from "./column-names.ts";
import { csvOptions, type Delimiter, type Dialect } from "./record-reader.ts";

/** In order of preference for ties: blanks are last, since many texts contain them. */
const DELIMITERS: readonly Delimiter[] = ["\t", "|", ";", ",", " "];
/** A known layout scores like this many known names. */
const LAYOUT_MEANINGS = 4;

/** The layout of a file, found from its first lines. */
export type FileShape = {
  readonly dialect: Dialect;
  readonly header: SampleLine | null;
  /** Without a header: the known layout of the rows, or null. */
  readonly layout: KnownLayout | null;
  /** Number of cells in the rows. */
  readonly width: number;
  /** Indexes of columns with codes that look like numbers. */
  readonly codes: ReadonlySet<number>;
  /** The last column holds numbers. */
  readonly endsInNumber: boolean;
  /** The cells of the first rows. */
  readonly sample: SampleRows;
};
type Candidate = Omit<FileShape, "codes" | "endsInNumber" | "sample"> & {
  readonly meanings: number;
  readonly regularity: number;
};

const NO_TABLE = { header: null, layout: null, width: 1, meanings: 0, regularity: 0 };

/** The shape for the given delimiter, or for the one that explains most of the lines. */
export function findShape(lines: readonly SampleLine[], delimiter: Delimiter | "auto"): FileShape {
  const [first = ",", ...others] = delimiter === "auto" ? delimitersOf(lines) : [delimiter];
  let best = shapeWith(lines, first);
  for (const other of others) {
    const shape = shapeWith(lines, other);
    if (isBetter(shape, best)) best = shape;
  }
  const data = dataOf(lines, best);
  const ends = endsInNumber(data, best.width);
  return { ...best, codes: findCodes(data), endsInNumber: ends, sample: data };
}

/** Blanks do not divide lines that a tab divides. */
function delimitersOf(lines: readonly SampleLine[]): readonly Delimiter[] {
  const rows = lines.filter(({ text }) => isData(text.trim()) || text.includes("\t"));
  const isTabbed = rows.length > 0 && rows.every(({ text }) => text.includes("\t"));
  return isTabbed ? DELIMITERS.filter((delimiter) => delimiter !== " ") : DELIMITERS;
}

function dataOf(
  lines: readonly SampleLine[],
  { dialect, header }: Pick<Candidate, "dialect" | "header">,
): SampleRows {
  const data = lines.filter(({ comment, number }) => !comment && number > (header?.number ?? 0));
  return data.map(({ text }) => cellsOf(text, dialect));
}

/** A column with a code in the first lines holds codes: `007` above 123. */
function findCodes(rows: SampleRows): Set<number> {
  const codes = new Set<number>();
  for (const cells of rows) {
    for (const [i, cell] of cells.entries()) if (isNumeric(cell) && isCode(cell)) codes.add(i);
  }
  return codes;
}

function endsInNumber(rows: SampleRows, width: number): boolean {
  const last = rows.filter(({ length }) => length === width).map((cells) => cells.at(-1) ?? "");
  const filled = last.filter((cell) => cell !== "");
  return filled.length > 0 && filled.every(isNumeric);
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.meanings !== b.meanings) return a.meanings > b.meanings;
  if (a.width > 1 !== b.width > 1) return a.width > 1;
  const [regularA, regularB] = [a.regularity >= 0.8, b.regularity >= 0.8];
  if (regularA !== regularB) return regularA;
  return a.dialect.delimiter !== " " && a.width > b.width;
}

function shapeWith(lines: readonly SampleLine[], delimiter: Delimiter): Candidate {
  // The header of FDSN text starts with `#EventID|Time|`; some agencies omit the `#`.
  const isFdsn =
    delimiter === "|" && lines.some(({ text }) => /^\s*EventID\s*\|\s*Time\b/i.test(text));
  const dialect = { delimiter, quoting: !isFdsn };
  const rows = lines.map((line) => ({ line, cells: cellsOf(line.text, dialect) }));
  const filled = rows.filter(({ line, cells }) => !line.comment && cells.length > 1);
  const data = filled.filter(({ cells }) => cells.some(isData));
  const { width, share } = commonWidth(data.length > 0 ? data : filled);
  const firstData = data.find(({ cells }) => cells.length === width)?.line.number;
  const head = rows.filter(({ line }) => firstData === undefined || line.number < firstData);
  const headerRow = bestHeader(head, width);
  if (headerRow !== null) {
    const meanings = countMeanings(headerRow.cells);
    return { dialect, header: headerRow.line, layout: null, width, meanings, regularity: share };
  }
  // Words separated by blanks are prose.
  if (delimiter === " " && data.length === 0) return { ...NO_TABLE, dialect };
  const named = unknownHeader(head, { width, delimiter });
  const layout = named === null ? findKnownLayout(data.map(({ cells }) => cells)) : null;
  const header = layout === null ? (named ?? firstWords(filled)) : null;
  const meanings = layout === null ? 0 : LAYOUT_MEANINGS;
  if (layout?.title === FDSN_TITLE) dialect.quoting = false;
  return { dialect, header, layout, width, meanings, regularity: share };
}

/** The most common number of cells, weighted by that number, since lines of prose have few. */
function commonWidth(rows: readonly SampleRow[]): { width: number; share: number } {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let [width, most] = [1, 0];
  for (const [cells, count] of counts) {
    if (count * cells > most * width) [width, most] = [cells, count];
  }
  return { width, share: rows.length === 0 ? 0 : most / rows.length };
}

/** The cells of a line, which may be only a part of a record. */
function cellsOf(text: string, dialect: Dialect): readonly string[] {
  if (dialect.quoting && text.includes('"')) {
    try {
      const [cells = []] = parse(text, { ...csvOptions(dialect), comment: null });
      return cells.filter((cell) => cell !== null);
    } catch {
      // The line holds a part of a record, or a fault.
    }
  }
  const { delimiter } = dialect;
  if (delimiter === " ") return text.trim().split(/[ \t]+/);
  return text.split(delimiter).map((cell) => cell.trim());
}

/** Known names that make a comment line, or any other line, a header. */
const COMMENT_MEANINGS = 3;
const LINE_MEANINGS = 2;
/** Score of a header as wide as the rows, compared with known names. */
const SAME_WIDTH = 3;

type SampleRow = { readonly line: SampleLine; readonly cells: readonly string[] };

/** The line before the data with the most known names; the first of equals. */
function bestHeader(rows: readonly SampleRow[], width: number): SampleRow | null {
  let best: SampleRow | null = null;
  let bestScore = 0;
  for (const row of rows) {
    const meanings = countMeanings(row.cells);
    if (meanings < (row.line.comment ? COMMENT_MEANINGS : LINE_MEANINGS)) continue;
    if (row.cells.some(isData)) continue;
    const score = meanings + (row.cells.length === width ? SAME_WIDTH : 0);
    if (score > bestScore) [best, bestScore] = [row, score];
  }
  return best;
}

/**
 * The first line of foreign names that divides as the rows do. In a comment blanks are those of a sentence.
 * @param rows those before the data
 */
function unknownHeader(
  rows: readonly SampleRow[],
  { width, delimiter }: { readonly width: number; readonly delimiter: Delimiter },
): SampleLine | null {
  const isHeader = ({ line, cells }: SampleRow) =>
    cells.length === width &&
    width > 1 &&
    !(line.comment && delimiter === " ") &&
    !cells.some(isData);
  return rows.find(isHeader)?.line ?? null;
}

/** A first line of words, whatever its width: it has no data, and the next lines may have. */
function firstWords(filled: readonly SampleRow[]): SampleLine | null {
  const [first] = filled;
  return first === undefined || first.cells.some(isData) ? null : first.line;
}

/** Limits of the sample: lines with data, and characters. */
const SAMPLE_LINES = 20;
const MAX_SAMPLE_LENGTH = 1024 * 1024;

/** A non-blank line at a file's head. `text` has no comment marks. */
export type SampleLine = {
  readonly number: number;
  /** Offset of `text` in the file, in characters. */
  readonly offset: number;
  readonly text: string;
  readonly comment: boolean;
  /** Characters of the comment marks before `text`. */
  readonly marks: number;
};

/** The cells of the lines with data. */
export type SampleRows = readonly (readonly string[])[];

/** The lines at a file's head, whatever text follows; null when `text` is still too short. */
export function takeSample(text: string, last: boolean): SampleLine[] | null {
  const atLimit = text.length >= MAX_SAMPLE_LENGTH;
  const head = atLimit ? text.slice(0, MAX_SAMPLE_LENGTH) : text;
  const lines: SampleLine[] = [];
  let data = 0;
  let number = 1;
  let at = 0;
  for (const { 0: end, index } of head.matchAll(/\r\n?|\n|$/g)) {
    // If more text follows, the last line is unfinished, and a CR may be half of a CRLF.
    const goesOn = end === "" || (end === "\r" && index === head.length - 1);
    if (goesOn && (atLimit ? data > 0 : !last)) break;
    const line = lineOf(head, at, index, number);
    if (line !== null) lines.push(line);
    if (line?.comment === false) data++;
    if (data === SAMPLE_LINES) break;
    number++;
    at = index + end.length;
  }
  return data < SAMPLE_LINES && !atLimit && !last ? null : lines;
}

function lineOf(text: string, at: number, end: number, number: number): SampleLine | null {
  const whole = text.slice(at, end);
  const marks = /^#[# ]*/.exec(whole)?.[0].length ?? 0;
  const line = whole.slice(marks);
  return line.trim() === ""
    ? null
    : { number, offset: at + marks, text: line, comment: marks > 0, marks };
}
