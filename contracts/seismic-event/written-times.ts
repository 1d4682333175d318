/** Times as people and spreadsheets write them: in one text, or in parts of their own. */

import { normaliseName } from "./names.ts";
import { microsToTime, parseTime, timeToMicros } from "./time.ts";

/** The order of day, month and year in dates that are written otherwise than ISO 8601 has them. */
export const DATE_ORDERS = ["dmy", "mdy", "ymd"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The readings of a time by the order of its date; one order where the text leaves no choice. */
export type WrittenTime = ReadonlyMap<DateOrder, string>;

const NOT_WRITTEN: WrittenTime = new Map();
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH_NAME =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:[T_ ]?(\d{2}):?(\d{2})(?::?(\d{2}(?:[.,]\d+)?))?)?$/i;
/** Three parts of a date, then perhaps a time of day. */
const DATE =
  /^(\d{1,4}|[a-z]{3,9})([-/. ]) ?(\d{1,2}|[a-z]{3,9})(?:\2|, ?| ) ?(\d{1,4})(?:(?:,? |T)(\d.*))?$/i;
const TIME_OF_DAY = /^(\d{1,2}:\d{1,2}(?::\d{1,2}(?:[.,]\d+)?)?) ?([ap]m)?$/i;
const NOON = 12;
/** Two digits of a year below this are of this century, as C's `%y` has it. */
const FIRST_OF_1900 = 69;
/** No time of a catalogue is longer; the patterns need not look at more. */
const MAX_LENGTH = 60;

/**
 * The readings of a time as people and spreadsheets write it: `31.12.2020 23:59`, `12/31/2020`,
 * `05-Jan-2020`, `2020.01.05`, `20200105030405`, `… UTC`, `3:04 PM`. Empty for other text, and for
 * what `parseTime` reads.
 */
export function writtenTime(text: string): WrittenTime {
  const own = text.trim();
  if (own.length > MAX_LENGTH) return NOT_WRITTEN;
  const plain = own.replace(/ ?(?:UTC|GMT|UT|Z)$/i, "").replaceAll(/[ \u00a0\u202f]+/g, " ");
  const iso = plain === own ? null : parseTime(plain);
  if (iso !== null) return new Map([["ymd", withoutClock(plain, iso)]]);
  const [, year, month, day, hour, minute, second = "00"] = COMPACT.exec(plain) ?? [];
  if (year !== undefined) {
    return readings({ ymd: `${year}-${month}-${day}` }, hour && `${hour}:${minute}:${second}`);
  }
  const [, first = "", , middle = "", last = "", rest] = DATE.exec(plain) ?? [];
  const clock = rest === undefined ? undefined : clockOf(rest);
  if (first === "" || clock === null) return NOT_WRITTEN;
  return readings(datesOf(first.toLowerCase(), middle.toLowerCase(), last), clock);
}

/** A time of day as ISO 8601 has it; null for other text. */
export function clockOf(text: string): string | null {
  const [, clock = "", half] = TIME_OF_DAY.exec(text.trim()) ?? [];
  if (clock === "" || half === undefined) return clock || null;
  const [hour = "", ...rest] = clock.split(":");
  if (Number(hour) < 1 || Number(hour) > NOON) return null;
  const isAfternoon = half.toLowerCase() === "pm";
  return [(Number(hour) % NOON) + (isAfternoon ? NOON : 0), ...rest].join(":");
}

type Dates = Partial<Record<DateOrder, string>>;

/** The dates that three parts may be. Four digits are a year, and letters a month. */
function datesOf(first: string, middle: string, last: string): Dates {
  const date = (year: string, month: string, day: string) =>
    `${fullYear(year)}-${monthOf(month)}-${day}`;
  const isYear = (part: string) => part.length > 2 && /^\d/.test(part);
  const isMonth = (part: string) => /^[a-z]/.test(part);
  if (isYear(first)) return { ymd: date(first, middle, last) };
  const dmy = isMonth(first) ? undefined : date(last, middle, first);
  const mdy = isMonth(middle) ? undefined : date(last, first, middle);
  const ymd = isYear(last) || isMonth(first) ? undefined : date(first, middle, last);
  return { ...(dmy && { dmy }), ...(mdy && { mdy }), ...(ymd && { ymd }) };
}

function monthOf(text: string): string {
  if (/^\d/.test(text)) return text;
  return MONTH_NAME.test(text) ? String(MONTHS.indexOf(text.slice(0, 3)) + 1) : "none";
}

function fullYear(text: string): string {
  if (text.length !== 2) return text;
  return `${Number(text) < FIRST_OF_1900 ? 20 : 19}${text}`;
}

/** The dates that exist, with the time of day. */
function readings(dates: Dates, clock: string | undefined): WrittenTime {
  const times = new Map<DateOrder, string>();
  for (const [order, date] of Object.entries(dates) as [DateOrder, string][]) {
    const text = clock === undefined ? date : `${date} ${clock}`;
    const time = parseTime(text);
    if (time !== null) times.set(order, withoutClock(text, time));
  }
  return times;
}

/** Only the date where the text has no time of day, which may be in another column. */
function withoutClock(text: string, time: string): string {
  return text.includes(":") || /[T_]/i.test(text) ? time : time.slice(0, 10);
}

/** What keeps a text with several meanings from being read, for people. */
export function severalMeanings(times: WrittenTime): string {
  const days = [...new Set(times.values())].map((time) => time.slice(0, 10));
  return `may be ${days.join(" or ")}`;
}

/** Names of a time's parts in ZMAP, hmtk, HORUS, ISC and NOAA files. Not `mm`: month, or minute. */
const TIME_PARTS = {
  year: ["year", "yr", "yyyy"],
  month: ["month", "mon", "mo"],
  day: ["day", "da", "dd", "dy"],
  hour: ["hour", "hr", "ho", "hh"],
  minute: ["minute", "min", "mi", "mn"],
  second: ["second", "seconds", "sec", "se", "ss"],
} as const;

export type TimePart = keyof typeof TIME_PARTS;

export const TIME_PART_NAMES = Object.keys(TIME_PARTS) as readonly TimePart[];

const BY_NAME: ReadonlyMap<string, TimePart> = new Map(
  Object.entries(TIME_PARTS).flatMap(([part, names]) =>
    names.map((name) => [name, part as TimePart] as const),
  ),
);

/** The part of a time that an input name denotes, or null. */
export function timePartOf(name: string): TimePart | null {
  return BY_NAME.get(normaliseName(name)) ?? null;
}

/** The names of a time's parts: year, month and day at least, or the hour of a date. */
export type TimePartNames = ReadonlyMap<TimePart, string>;

/** `carried`: minute 60, or seconds from 60 on, were carried into the next unit. */
export type SplitTime = { readonly time: string; readonly carried: boolean };

type Values = Readonly<Record<string, unknown>>;

const DATE_PARTS = ["year", "month", "day"] as const;
const CLOCK_PARTS: readonly TimePart[] = ["hour", "minute", "second"];
/** Numbers below a microsecond print with an exponent. */
const SECOND_DIGITS = 9;
/** Largest accepted values of a clock that continues beyond the full day, hour or minute. */
const MAX_CARRIED = { hour: 24, minute: 60, second: 99 } as const;
const LAST_MICROS = timeToMicros("9999-12-31T23:59:59Z");
const CARRIED_CLOCK = /^(\d{1,2}):(\d{1,2}):(\d{1,2})((?:\.\d+)?)$/;

/**
 * The names of a time's parts among `names`, beside those already known; null without a complete date,
 * or an hour where the date has a name of its own.
 */
export function timePartNames(
  names: readonly string[],
  known: TimePartNames = new Map(),
  hasDate = false,
): TimePartNames | null {
  const parts = new Map<TimePart, string>(known);
  for (const name of names) {
    const part = timePartOf(name);
    if (part !== null && !parts.has(part)) parts.set(part, name);
  }
  const isWhole = DATE_PARTS.every((part) => parts.has(part));
  return isWhole || (hasDate && parts.has("hour")) ? parts : null;
}

export function isDatePart(part: TimePart): boolean {
  return DATE_PARTS.some((one) => one === part);
}

/** The date from a time's parts as text, null when one is missing; it may be invalid. */
export function dateOfParts(values: Values, parts: TimePartNames): string | null {
  const [year, month, day] = DATE_PARTS.map((part) => partText(values, parts, part));
  if (!year || !month || !day) return null;
  // ZMAP's year is decimal and repeats the other parts.
  return `${year.replace(/\.\d*$/, "")}-${month.replace(/\.0*$/, "")}-${day.replace(/\.0*$/, "")}`;
}

/** Digits of a date; a time has more. */
const DATE_DIGITS = 8;

/** True for a date without a time of day. */
export function isDateAlone(text: string): boolean {
  return !text.includes(":") && text.replaceAll(/\D/g, "").length <= DATE_DIGITS;
}

/** The time of a date and of the parts that say when on it; null where these do not, or the date does. */
export function timeOnDate(values: Values, parts: TimePartNames, date: unknown): SplitTime | null {
  if (typeof date !== "string" || !isDateAlone(date)) return null;
  return partText(values, parts, "hour") === "" ? null : timeOfParts(values, parts, date.trim());
}

/**
 * The time from its parts as text, null without a date. The last parts of the day may be missing, which are
 * 0; where a later one is there, it is no valid time. The hour may be a whole time of day.
 */
export function timeOfParts(
  values: Values,
  parts: TimePartNames,
  date: string | null = dateOfParts(values, parts),
): SplitTime | null {
  if (date === null) return null;
  const given = CLOCK_PARTS.map((part) => partText(values, parts, part));
  const last = given.findLastIndex((text) => Number(text) !== 0);
  const [hour = "", minute = "", second = ""] = given.map(
    (text, i) => text || (i < last ? "" : "0"),
  );
  const ofDay = clockOf(hour);
  if (ofDay !== null) return { time: `${date} ${ofDay}`, carried: false };
  const whole = (text: string) => text.replace(/\.0*$/, "");
  const clock = `${whole(hour)}:${whole(minute)}:${second.replace(/\.$/, "")}`;
  const carried = carry(date, clock);
  return carried === null ? { time: `${date} ${clock}`, carried: false } : carried;
}

/** The time of a clock beyond the full minute or hour; null for any other. */
function carry(date: string, clock: string): SplitTime | null {
  const [, hour, minute, second, fraction = ""] = CARRIED_CLOCK.exec(clock) ?? [];
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (!(m === MAX_CARRIED.minute || s >= 60)) return null;
  if (!(h <= MAX_CARRIED.hour && m <= MAX_CARRIED.minute && s <= MAX_CARRIED.second)) return null;
  const midnight = parseTime(date);
  if (midnight === null) return null;
  const micros = timeToMicros(midnight) + BigInt((h * 60 + m) * 60 + s) * 1_000_000n;
  if (micros > LAST_MICROS) return null;
  return { time: microsToTime(micros, 0).replace("Z", `${fraction}Z`), carried: true };
}

function partText(values: Values, parts: TimePartNames, part: TimePart): string {
  const value = values[parts.get(part) ?? ""];
  if (typeof value === "string") return value.trim();
  if (typeof value !== "number") return "";
  const text = String(value);
  return text.includes("e") ? value.toFixed(SECOND_DIGITS) : text;
}
