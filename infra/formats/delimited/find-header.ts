import { isData } from "./cell.ts";
import { countMeanings } from "./columns.ts";
import type { Delimiter } from "./record-reader.ts";
import type { SampleLine } from "./sample.ts";

/** Known names that make a comment line, or any other line, a header. */
const COMMENT_MEANINGS = 3;
const LINE_MEANINGS = 2;
/** Score of a header as wide as the rows, compared with known names. */
const SAME_WIDTH = 3;

export type SampleRow = { readonly line: SampleLine; readonly cells: readonly string[] };

/** The line before the data with the most known names; the first of equals. */
export function bestHeader(rows: readonly SampleRow[], width: number): SampleRow | null {
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
export function unknownHeader(
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
export function firstWords(filled: readonly SampleRow[]): SampleLine | null {
  const [first] = filled;
  return first === undefined || first.cells.some(isData) ? null : first.line;
}
