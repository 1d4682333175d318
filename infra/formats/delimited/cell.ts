import { parseTime } from "#contracts/seismic-event/parse-time.ts";

/** Integers of fewer digits are exact doubles. */
const MAX_DIGITS = 16;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Words for an unknown number or time in tables, besides an empty cell. */
const MISSING = new Set(["nan", "nat", "null", "none", "na", "n/a", "-", "--", "---", "*"]);

export function isBlank(text: string): boolean {
  return text === "" || (text.charCodeAt(0) <= 32 && text.trim() === "");
}

/** True for `nan`, `NULL`, `-` and the like. */
export function isMissingWord(text: string): boolean {
  return text.length <= 4 && MISSING.has(text.toLowerCase());
}

/** The finite decimal number in a text; NaN for other text. */
export function numberOf(text: string): number {
  const number = Number(text);
  if (isPlain(text)) return Number.isFinite(number) ? number : Number.NaN;
  return DECIMAL.test(text.trim()) && Number.isFinite(number) ? number : Number.NaN;
}

/** `Number` also accepts blanks, `Infinity` and `0x1F`; none of these starts like a plain decimal. */
function isPlain(text: string): boolean {
  return text.charCodeAt(0) > 32 && !(text.charCodeAt(1) > 57);
}

/**
 * True for decimal text that is a code, not a measurement: as a number it would lose digits (`007`,
 * integers beyond 2⁵³), or it is one only by chance (`12e4` among hexadecimal names).
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

/** True for text that never stands in a header: a number, or the start of a date or time of day. */
export function isData(text: string): boolean {
  return isNumeric(text) || /^\d{1,4}[-/:]\d/.test(text);
}

/** Shortens long texts for messages. */
export function quoteForMessage(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
