/**
 * Origin times as text. The canonical form is `YYYY-MM-DDTHH:MM:SS[.f{1,6}]Z` in the proleptic
 * Gregorian calendar, years 0001 to 9999. Fractional digits are kept: they show the precision.
 */

const ZERO = 48;
const SECONDS_PER_DAY = 86_400;
const MICROS_PER_SECOND = 1_000_000;
/** 2000-01-01T00:00:00Z, PostgreSQL's epoch, in microseconds since 1970. */
export const POSTGRES_EPOCH_MICROS = 946_684_800_000_000n;
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** Negative, zero or positive when the instant `a` is before, equal to or after `b`; both canonical. */
export function compareTimes(a: string, b: string): number {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = digitOrZero(a, i) - digitOrZero(b, i);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Microseconds since 1970-01-01T00:00:00Z of a canonical time. */
export function timeToMicros(canonical: string): bigint {
  return BigInt(epochSeconds(canonical)) * 1_000_000n + BigInt(microsOfSecond(canonical));
}

/** Microseconds since 2000-01-01T00:00:00Z, as in PostgreSQL's binary timestamptz. */
export function postgresMicros(canonical: string): bigint {
  return timeToMicros(canonical) - POSTGRES_EPOCH_MICROS;
}

/** Milliseconds since 1970-01-01T00:00:00Z of a canonical time, with microseconds as a fraction. */
export function timeToMilliseconds(canonical: string): number {
  return epochSeconds(canonical) * 1000 + microsOfSecond(canonical) / 1000;
}

/**
 * The canonical time of `micros` since 1970 with `digits` (0 to 6) fractional digits; further digits
 * are truncated towards the past.
 * @throws RangeError outside the years 0001 to 9999
 */
export function microsToTime(micros: bigint, digits: number): string {
  const remainder = Number(micros % 1_000_000n);
  const fraction = remainder < 0 ? remainder + MICROS_PER_SECOND : remainder;
  const seconds = Number((micros - BigInt(fraction)) / 1_000_000n);
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) {
    throw new RangeError(`${micros} microseconds are outside the years 0001 to 9999`);
  }
  return formatTime(seconds, pad(fraction, 6).slice(0, digits));
}

/** The number of fractional digits of a canonical time, 0 to 6. */
export function fractionDigits(canonical: string): number {
  return canonical.length === 20 ? 0 : canonical.length - 21;
}

function digitOrZero(text: string, index: number): number {
  const code = text.charCodeAt(index) - ZERO;
  return code >= 0 && code <= 9 ? code : 0;
}

function digit(text: string, index: number): number {
  const code = text.charCodeAt(index) - ZERO;
  return code >= 0 && code <= 9 ? code : Number.NaN;
}

function twoDigits(text: string, index: number): number {
  return digit(text, index) * 10 + digit(text, index + 1);
}

function fourDigits(text: string, index: number): number {
  return twoDigits(text, index) * 100 + twoDigits(text, index + 2);
}

function epochSeconds(canonical: string): number {
  const days = daysFromCivil(
    fourDigits(canonical, 0),
    twoDigits(canonical, 5),
    twoDigits(canonical, 8),
  );
  return (
    days * SECONDS_PER_DAY +
    twoDigits(canonical, 11) * 3600 +
    twoDigits(canonical, 14) * 60 +
    twoDigits(canonical, 17)
  );
}

function microsOfSecond(canonical: string): number {
  let micros = 0;
  for (let i = 20; i < 26; i++) micros = micros * 10 + digitOrZero(canonical, i);
  return micros;
}

/**
 * Days since 1970-01-01. Years start on 1 March, so that the leap day is a year's last day; 306 is
 * the number of days from 1 March to 31 December, 719,468 from 0000-03-01 to 1970-01-01.
 */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + dayOfYear - 719_468;
}

/** Date is exact for whole seconds; the fraction is appended as text. */
function formatTime(seconds: number, fraction: string): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return fraction === "" ? `${whole}Z` : `${whole}.${fraction}Z`;
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, "0");
}

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
