import { isMissingWord } from "#contracts/seismic-event/number-text.ts";
import { isData } from "./cell.ts";
import type { ColumnMeaning, MeantColumn } from "./columns.ts";
import type { FileShape } from "./file-shape.ts";

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
export function createFitTest(
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
      if (name.to - name.from < LEAST_LENGTH || !isBlankAt(row, name)) continue;
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

function isBlankAt(row: string, { from, to }: Span): boolean {
  return row.slice(from, to).trim() === "";
}

function isWord(text: string): boolean {
  return /\p{L}/u.test(text) && !/\d/.test(text) && !isMissingWord(text);
}
