import { isNumeric, numberOf } from "#contracts/seismic-event/number-text.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";

/** Integers of fewer digits are exact doubles. */
const MAX_DIGITS = 16;
export function isBlank(text: string): boolean {
  return text === "" || (text.charCodeAt(0) <= 32 && text.trim() === "");
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

export function isTime(text: string): boolean {
  return parseTime(text) !== null;
}

const DECIMAL_COMMA = /^[+-]?\d+,\d+$/;

export function isDecimalComma(text: string): boolean {
  return DECIMAL_COMMA.test(text);
}

/** The number in a text that may have a decimal comma; NaN for other text. */
export function pointNumber(text: string): number {
  return numberOf(isDecimalComma(text) ? text.replace(",", ".") : text);
}

/** True for text that never stands in a header: a number, or the start of a date or time of day. */
export function isData(text: string): boolean {
  return isNumeric(text) || /^\d{1,4}[-/:.]\d/.test(text);
}

/** Shortens long texts for messages. */
export function quoteForMessage(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
