import type { Attribute } from "#contracts/seismic-event/attributes.ts";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { isMissingWord, numberOf } from "./cell.ts";
import type { CellReader, RowNotes } from "./row-notes.ts";

export type NumberColumn = Pick<Attribute, "min" | "max" | "unit"> & {
  readonly column: string;
  /** A number at or below this is none, beside the usual −999 and its like. */
  readonly missingFrom?: number;
};

/** −9, −99, −999, −999.9, …: what tables write for a number that is not known. */
const NINES = /^-9+(?:\.[09]+)?$/;
const DECIMAL_COMMA = /^[+-]?\d+,\d+$/;

/**
 * Reads numbers. `nan`, `null`, `-` and their like are null; so is a sentinel below the column's
 * range (−9 as a magnitude, −999 as a latitude, −1 as a count), which is kept. What is out of range,
 * or no number at all, comes back as given with a warning.
 */
export function numberCell(column: NumberColumn): CellReader {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = column;
  return (text, notes) => {
    if (text === "") return null;
    const number = numberOf(text);
    if (number >= min && number <= max) return number;
    return Number.isNaN(number)
      ? readOtherText(text, column, notes)
      : readOutOfRange(number, text, column, notes);
  };
}

function readOutOfRange(
  number: number,
  text: string,
  column: NumberColumn,
  notes: RowNotes,
): number | null {
  const { min = 0, max, missingFrom = Number.NEGATIVE_INFINITY } = column;
  const isSentinel = number < min && (NINES.test(text) || (min === 0 && number === -1));
  if (isSentinel || number <= missingFrom) {
    notes.warn(column.column, `${text} stands for "not known"; it is kept under extra`);
    notes.keep(column.column, number);
    return null;
  }
  const unit = column.unit === undefined ? "" : ` ${column.unit}`;
  const range = max === undefined ? `less than ${min}` : `not between ${min} and ${max}`;
  notes.warn(column.column, `${text} is ${range}${unit}`);
  return number;
}

function readOtherText(text: string, { column }: NumberColumn, notes: RowNotes): JsonValue {
  const trimmed = text.trim();
  if (trimmed === "" || isMissingWord(trimmed)) return null;
  if (DECIMAL_COMMA.test(trimmed)) {
    notes.warnOnce(column, "decimal commas are read as points");
    return Number(trimmed.replace(",", "."));
  }
  notes.warn(column, `${quoteForMessage(trimmed)} is not a number`);
  return text;
}

/** Texts of any length are cut in messages. */
export function quoteForMessage(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
