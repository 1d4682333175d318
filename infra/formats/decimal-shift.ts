/**
 * Decimal text: sign, digits with a point anywhere among them, exponent. The pattern matches in one
 * way only, so it never backtracks far.
 */
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
