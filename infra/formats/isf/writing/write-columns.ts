import { isNumeric } from "#contracts/seismic-event/number-text.ts";
import { decimalNumber, shiftDecimal } from "../../decimal-number.ts";
import { type Column, nameOf } from "../columns/column.ts";
import { commentIn } from "../shared/blocks.ts";
import { type LineObjects, ownText, valueAt } from "../shared/drafts.ts";
import { type Losses, lose, noLosses } from "./losses.ts";

/**
 * The line of some objects, without blanks at its end. Numbers have the digits of the format, fewer where
 * the columns are too narrow; what does not fit is left out; both are counted.
 * @param scale the power of ten that the line names
 */
export function writeColumns(
  columns: readonly Column[],
  objects: LineObjects,
  losses: Losses,
  scale = 0,
): string {
  let line = "";
  for (const column of columns) {
    const value = valueAt(objects, column);
    const cell = cellOf(column, value, objects, losses, scale);
    if (cell === undefined) continue;
    const width = column.to - column.from + 1;
    if (cell === null || cell.length > width) {
      lose(losses.values, column.object);
      continue;
    }
    line = line.padEnd(column.from - 1);
    // Ids begin their columns, since some readers know only the first eight of eleven.
    const isNumber = column.kind === "real" || column.kind === "integer";
    line += isNumber ? cell.padStart(width) : cell.padEnd(width);
  }
  return line.trimEnd();
}

/** Undefined for no value, null for one that the columns cannot hold. */
function cellOf(
  column: Column,
  value: unknown,
  objects: LineObjects,
  losses: Losses,
  scale: number,
): string | null | undefined {
  const { kind, isForeign, codes = {} } = column;
  if (kind === "code" && !isForeign) return letterOf(column, value, objects);
  if (value === undefined || value === "") return undefined;
  const text = String(value);
  switch (kind) {
    case "code":
      return text in codes ? text : null;
    case "integer":
      return /^-?\d+$/.test(text) ? text : null;
    case "real":
      if (isForeign) return isNumeric(text) ? text : null;
      return typeof value === "number" ? realOf(column, value, losses, scale) : null;
    case "text":
      return isWord(text) ? text : null;
  }
}

/** Whether a real number fits into its columns, `at` being the place of its value. */
export function holds(columns: readonly Column[], at: string, value: number): boolean {
  const column = columns.find((one) => placeOf(one) === at);
  return column !== undefined && realOf(column, value, noLosses(), 0) !== null;
}

/** Whether a line that was written has values at places that it needs. */
export function hasCells(
  line: string,
  columns: readonly Column[],
  places: readonly string[],
): boolean {
  const needed = columns.filter((column) => places.includes(placeOf(column)));
  return needed.every(({ from, to }) => line.slice(from - 1, to).trim() !== "");
}

function placeOf({ object, path }: Column): string {
  return [object, ...path].join(".");
}

/** The letter of a value, else the letter without meaning that was given. */
function letterOf(column: Column, value: unknown, objects: LineObjects): string | null | undefined {
  const { codes = {}, object } = column;
  const given = ownText(objects[object], nameOf(column));
  if (value === undefined || value === false)
    return given !== undefined && isWord(given) ? given : undefined;
  return Object.keys(codes).find((letter) => codes[letter] === value) ?? null;
}

/** True for what is read again as it is: no blanks, no marks for unknown values. */
function isWord(text: string): boolean {
  return /^[^\s\p{Cc}]+$/u.test(text) && !/^\?+$/.test(text) && commentIn(text) === null;
}

function realOf(
  { from, to, digits = 0, places = 0, isScaled }: Column,
  value: number,
  losses: Losses,
  scale: number,
): string | null {
  const shift = places + (isScaled ? scale : 0);
  const decimal = shiftDecimal(String(value), -shift);
  if (decimal === null) return null;
  const width = to - from + 1;
  const narrow = decimalIn(width, digits, Number(decimal));
  if (narrow === null) return null;
  // What is rounded to fewer digits may have room for all of them then.
  const text = decimalIn(width, digits, Number(narrow)) ?? narrow;
  if (readAgain(text, shift) !== value) losses.rounded++;
  return text;
}

/** A number with at most `digits` in its fraction, null where it is too long without any. */
function decimalIn(width: number, digits: number, value: number): string | null {
  for (let kept = digits; kept >= 0; kept--) {
    const text = withoutMinusZero(value.toFixed(kept));
    if (text.length <= width && isNumeric(text)) return text;
  }
  return null;
}

function readAgain(text: string, shift: number): number {
  return decimalNumber(shiftDecimal(text, shift) ?? "", 0);
}

function withoutMinusZero(text: string): string {
  return /^-0(?:\.0*)?$/.test(text) ? text.slice(1) : text;
}
