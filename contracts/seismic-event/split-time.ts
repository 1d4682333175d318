import { normaliseName } from "./input-names.ts";
import { microsToTime, timeToMicros } from "./origin-time.ts";
import { parseTime } from "./parse-time.ts";
import { clockOf } from "./written-time.ts";

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
const CLOCK = /^(\d{1,2}):(\d{1,2}):(\d{1,2})((?:\.\d+)?)$/;

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
  const [, hour, minute, second, fraction = ""] = CLOCK.exec(clock) ?? [];
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
