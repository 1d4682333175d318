import { parseTime } from "./parse-time.ts";

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
const CLOCK = /^(\d{1,2}:\d{1,2}(?::\d{1,2}(?:[.,]\d+)?)?) ?([ap]m)?$/i;
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
  const [, clock = "", half] = CLOCK.exec(text.trim()) ?? [];
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
