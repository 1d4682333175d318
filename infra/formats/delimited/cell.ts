import { parseTime } from "#contracts/seismic-event/origin-time.ts";

/** Integers of fewer digits are exact as numbers. */
const MAX_DIGITS = 16;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** What tables write where a number or a time is not known, besides nothing at all. */
const MISSING = new Set(["nan", "nat", "null", "none", "na", "n/a", "-", "--", "---", "*"]);

/** True for `nan`, `NULL`, `-` and their like. */
export function isMissingWord(text: string): boolean {
  return text.length <= 4 && MISSING.has(text.toLowerCase());
}

/** The finite decimal number that a text is; NaN when it is none. */
export function numberOf(text: string): number {
  const number = Number(text);
  if (isPlain(text)) return Number.isFinite(number) ? number : Number.NaN;
  return DECIMAL.test(text.trim()) && Number.isFinite(number) ? number : Number.NaN;
}

/** Beyond decimals, `Number` reads blanks, `Infinity` and `0x1F`: none of them begins like this. */
function isPlain(text: string): boolean {
  return text.charCodeAt(0) > 32 && !(text.charCodeAt(1) > 57);
}

/**
 * True for decimal text that is a code and no measurement: as a number it would lose digits (`007`, and
 * integers beyond 2⁵³), or it is one by chance alone (`12e4` among names in hexadecimal).
 */
export function isCode(text: string): boolean {
  return /^[+-]?0\d/.test(text) || /^\d+[eE]\d+$/.test(text) || isTooLong(text);
}

function isTooLong(text: string): boolean {
  if (text.length < MAX_DIGITS || /[.eE]/.test(text)) return false;
  return !Number.isSafeInteger(Number(text));
}

export function isNumeric(text: string): boolean {
  return DECIMAL.test(text);
}

export function isTime(text: string): boolean {
  return parseTime(text) !== null;
}

/** True for what a header does not hold: a number, or the beginning of a date or time of day. */
export function isData(text: string): boolean {
  return isNumeric(text) || /^\d{1,4}[-/:]\d/.test(text);
}
