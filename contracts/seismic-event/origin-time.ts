/**
 * Origin times as text. The canonical form is `YYYY-MM-DDTHH:MM:SS[.f{1,6}]Z` in the proleptic
 * Gregorian calendar, years 0001 to 9999. Fractional digits are kept: they show the precision.
 */

export const ZERO = 48;
export const SECONDS_PER_DAY = 86_400;
export const MICROS_PER_SECOND = 1_000_000;
/** 2000-01-01T00:00:00Z, PostgreSQL's epoch, in microseconds since 1970. */
export const POSTGRES_EPOCH_MICROS = 946_684_800_000_000n;
export const FIRST_SECOND = -62_135_596_800;
export const LAST_SECOND = 253_402_300_799;

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

export function digit(text: string, index: number): number {
  const code = text.charCodeAt(index) - ZERO;
  return code >= 0 && code <= 9 ? code : Number.NaN;
}

export function twoDigits(text: string, index: number): number {
  return digit(text, index) * 10 + digit(text, index + 1);
}

export function fourDigits(text: string, index: number): number {
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
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + dayOfYear - 719_468;
}

/** Date is exact for whole seconds; the fraction is appended as text. */
export function formatTime(seconds: number, fraction: string): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return fraction === "" ? `${whole}Z` : `${whole}.${fraction}Z`;
}

export function pad(value: number, length: number): string {
  return String(value).padStart(length, "0");
}
