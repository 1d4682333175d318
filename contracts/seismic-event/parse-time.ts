import {
  daysFromCivil,
  digit,
  FIRST_SECOND,
  formatTime,
  fourDigits,
  LAST_SECOND,
  MICROS_PER_SECOND,
  pad,
  SECONDS_PER_DAY,
  twoDigits,
  ZERO,
} from "./origin-time.ts";

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const DATE = String.raw`(\d{4})([-/])(\d{1,2})\2(\d{1,2})`;
const CLOCK = String.raw`(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)?`;
const ZONE = String.raw`(?: ?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?))?`;
const EXTENDED = new RegExp(`^${DATE}(?:(?:[Tt]| +)${CLOCK}${ZONE})?$`);
const BASIC = new RegExp(
  String.raw`^(\d{4})()(\d{2})(\d{2})[Tt](\d{2})(\d{2})(?:(\d{2})(?:[.,](\d+))?)?${ZONE}$`,
);

/** To microseconds; bounds go down, so that an end is never later than it says, and never before its start. */
export type Rounding = "nearest" | "down";

/**
 * The canonical form of a time; null for invalid text. Surrounding blanks are ignored.
 *
 * Accepted, by ISO 8601 and the practice of catalogue files:
 * - date `YYYY-MM-DD` or `YYYY/MM/DD`, month and day with one or two digits; alone it is 00:00:00;
 * - `T`, `t` or blanks, then `H:M[:S[.f]]`, one or two digits each, dot or comma before the
 *   fraction;
 * - the basic form `YYYYMMDDTHHMM[SS[.f]]`;
 * - after a time of day `Z`, `z`, `±HH`, `±HHMM` or `±HH:MM`, a blank allowed before it; without it
 *   UTC;
 * - second 60 with any fraction, which is in the next minute, and 24:00:00, which is in the next
 *   day.
 *
 * Up to six fractional digits are kept exactly, more are rounded to microseconds, half up where nothing else is said.
 */
export function parseTime(text: string, rounding: Rounding = "nearest"): string | null {
  if (isCanonical(text)) return text;
  // FDSN text has this form; parsing any other takes ten times as long.
  const inUtc = `${text}Z`;
  return isCanonical(inUtc) ? inUtc : parseOther(text.trim(), rounding);
}

/** NaN from a missing digit fails all comparisons below, so malformed text is never canonical. */
function isCanonical(text: string): boolean {
  const last = text.length - 1;
  if (last < 19 || last > 26 || last === 20) return false;
  if (text[last] !== "Z" || (last > 19 && text[19] !== ".")) return false;
  for (let i = 20; i < last; i++) if (Number.isNaN(digit(text, i))) return false;
  return (
    text[4] === "-" &&
    text[7] === "-" &&
    text[10] === "T" &&
    text[13] === ":" &&
    text[16] === ":" &&
    isDate(fourDigits(text, 0), twoDigits(text, 5), twoDigits(text, 8)) &&
    twoDigits(text, 11) <= 23 &&
    twoDigits(text, 14) <= 59 &&
    twoDigits(text, 17) <= 59
  );
}

function isDate(year: number, month: number, day: number): boolean {
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

function daysInMonth(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
}

function parseOther(text: string, rounding: Rounding): string | null {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (match === null) return null;
  const [, year, , month, day, hour = 0, minute = 0, second = 0, digits = ""] = match;
  const [sign, zoneHours = 0, zoneMinutes = 0] = match.slice(9);
  if (!isDate(Number(year), Number(month), Number(day))) return null;
  if (!isClock(Number(hour), Number(minute), Number(second), digits)) return null;
  if (Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return null;

  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60 * (sign === "-" ? -1 : 1);
  const { carry, fraction } = roundFraction(digits, rounding);
  const seconds =
    daysFromCivil(Number(year), Number(month), Number(day)) * SECONDS_PER_DAY +
    Number(hour) * 3600 +
    Number(minute) * 60 +
    Number(second) +
    carry -
    offset;
  return seconds < FIRST_SECOND || seconds > LAST_SECOND ? null : formatTime(seconds, fraction);
}

function isClock(hour: number, minute: number, second: number, fraction: string): boolean {
  if (hour === 24) return minute === 0 && second === 0 && /^0*$/.test(fraction);
  return hour <= 23 && minute <= 59 && second <= 60;
}

function roundFraction(digits: string, rounding: Rounding): { carry: number; fraction: string } {
  if (digits.length <= 6) return { carry: 0, fraction: digits };
  const micros =
    Number(digits.slice(0, 6)) +
    (rounding === "nearest" && digits.charCodeAt(6) >= ZERO + 5 ? 1 : 0);
  if (micros === MICROS_PER_SECOND) return { carry: 1, fraction: "000000" };
  return { carry: 0, fraction: pad(micros, 6) };
}
