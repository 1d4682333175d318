/** Such mantissas and powers of ten are exact doubles, so one division rounds only once. */
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

/** Sign, digits with a point anywhere, exponent; matches in one way only, so without backtracking. */
const DECIMAL = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/;

/** Longer exponents overflow or underflow, whatever the shift. */
const MAX_EXPONENT_LENGTH = 10;

/**
 * The decimal text of `text` · 10^`places`, exact because the point is moved within the text:
 * multiplying 5.1162109375 by 1000 may round, `shiftDecimal("5.1162109375", 3)` is "5116.2109375".
 * Null when `text` is not a decimal number; surrounding blanks are not accepted.
 */
export function shiftDecimal(text: string, places: number): string | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign = "", whole = "", fractionOfWhole, fractionAlone, exponent] = match;
  const fraction = fractionOfWhole ?? fractionAlone ?? "";
  if (exponent !== undefined) {
    if (exponent.length > MAX_EXPONENT_LENGTH) return text;
    const shifted = Number(exponent) + places;
    return `${sign}${whole === "" ? "0" : whole}${fraction === "" ? "" : `.${fraction}`}e${shifted}`;
  }
  return sign + movePoint(whole, fraction, places);
}

function movePoint(whole: string, fraction: string, places: number): string {
  const digits = whole + fraction;
  const point = whole.length + places;
  const before = point <= 0 ? "0" : digits.slice(0, point).padEnd(point, "0");
  const after = point < 0 ? "0".repeat(-point) + digits : digits.slice(point);
  const integer = withoutLeadingZeros(before);
  return after === "" ? integer : `${integer}.${after}`;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === 48) start++;
  return start === 0 ? digits : digits.slice(start);
}

/** The text of a decimal number with the other sign; no zero has one. */
export function opposite(decimal: string): string {
  if (Number(decimal) === 0) return "0";
  return decimal.startsWith("-") ? decimal.slice(1) : `-${decimal}`;
}
