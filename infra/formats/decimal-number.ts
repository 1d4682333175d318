import { shiftDecimal } from "./decimal-shift.ts";

/**
 * Mantissas of this many digits and powers of ten up to the limit below are exact doubles, so one
 * division rounds only once.
 */
const MAX_DIGITS = 15;
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/**
 * The number nearest to `text` · 10^`places`; NaN unless `text` is a decimal number (`Number` alone
 * also accepts blanks and hexadecimal text). Same result as `Number(shiftDecimal(text, places))`,
 * but plain decimals with few digits are read in one pass, in a quarter of the time.
 * @param places at most 0
 */
export function decimalNumber(text: string, places: number): number {
  const isNegative = text.charCodeAt(0) === MINUS;
  let mantissa = 0;
  let digits = 0;
  let point = -1;
  for (let i = isNegative ? 1 : 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit;
      digits++;
    } else if (digit === POINT - ZERO && point < 0) point = digits;
    else return slowNumber(text, places);
  }
  const fraction = point < 0 ? 0 : digits - point;
  const power = POWERS[fraction - places];
  if (digits === 0 || digits > MAX_DIGITS || power === undefined) return slowNumber(text, places);
  const value = mantissa / power;
  return isNegative ? -value : value;
}

function slowNumber(text: string, places: number): number {
  const decimal = shiftDecimal(text, places);
  return decimal === null ? Number.NaN : Number(decimal);
}
