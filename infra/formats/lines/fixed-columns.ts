import { isMissingWord, isNumeric } from "#contracts/seismic-event/written-numbers.ts";
import { shiftDecimal } from "../written-values.ts";

/** A line without its end; `number` counts from 1 in the file. */
export type TextLine = { readonly text: string; readonly number: number };

/** A line that is not what its format says, so that its record cannot be read. */
export class FaultyLine extends Error {
  override readonly name = "FaultyLine";
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Nothing is measured that is smaller or larger, and what is calculated of numbers between is finite. */
const SMALLEST = 1e-100;
const LARGEST = 1e100;

/** Fortran fills the columns of a number that is too long for them with asterisks. */
const OVERFLOW = /^\*+$/;

/** True for a field without a number: blank, too narrow, or a word as `NaN` and `-`. */
export function isWithoutNumber(text: string): boolean {
  return text === "" || OVERFLOW.test(text) || isMissingWord(text);
}

/** The text in columns `from` to `to`, counted from 1, without the blanks around it. */
export function columnsOf({ text }: TextLine, from: number, to = from): string {
  return text.slice(from - 1, to).trim();
}

/**
 * The number in columns `from` to `to` times 10^`places`, rounded once; undefined without one.
 * @throws FaultyLine for other text
 */
export function numberIn(line: TextLine, from: number, to: number, places = 0): number | undefined {
  const text = columnsOf(line, from, to);
  return numberOfText(line, text, `columns ${from} to ${to} hold`, places);
}

/**
 * As `numberIn`.
 * @throws FaultyLine for other text, and for a number with a fraction
 */
export function integerIn(line: TextLine, from: number, to: number): number | undefined {
  const value = numberIn(line, from, to);
  if (value === undefined || Number.isSafeInteger(value)) return value;
  throw new FaultyLine(line.number, `columns ${from} to ${to} hold ${value}, no whole number`);
}

/**
 * A value that a line must have.
 * @throws FaultyLine without it
 */
export function required<T>(line: TextLine, value: T | undefined | null, what: string): T {
  if (value !== undefined && value !== null) return value;
  throw new FaultyLine(line.number, `there is no ${what}`);
}

/**
 * The number in a text times 10^`places`; undefined where there is none.
 * @param where the beginning of the error's message
 * @throws FaultyLine for other text
 */
export function numberOfText(
  line: TextLine,
  text: string,
  where: string,
  places = 0,
): number | undefined {
  if (isWithoutNumber(text)) return undefined;
  const number = isNumeric(text) ? Number(shiftDecimal(text, places)) : Number.NaN;
  const size = Math.abs(number);
  if (size === 0 || (size > SMALLEST && size < LARGEST)) return number;
  throw new FaultyLine(line.number, `${where} ${JSON.stringify(text.slice(0, 80))}, no number`);
}
