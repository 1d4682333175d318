import { microsToTime } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import {
  DATE_ORDERS,
  type DateOrder,
  severalMeanings,
  writtenTime,
} from "#contracts/seismic-event/written-time.ts";
import type { ColumnUnit } from "#contracts/seismic-event/written-units.ts";

/** How a file's times are read where their texts leave it open. */
export type TimeReading = {
  /** Without it each date is read by itself, or refused where it has several meanings. */
  readonly dateOrder?: DateOrder | undefined;
  /** What numbers count since 1970; by default milliseconds. `mixed`: those of either are refused. */
  readonly epoch?: "seconds" | "mixed" | undefined;
};

/**
 * A time in ISO 8601, with a remark where it was written otherwise, or why it cannot be read;
 * `isForeign` for one that means something, but not in the order of the file's dates.
 */
export type SensedTime =
  | { readonly time: string; readonly remark: string | null }
  | { readonly fault: string; readonly isForeign?: true };

/** Reads a file's times, and finds what all of them together say of those left open. */
export type TimeSense = {
  readonly read: (value: string | number) => SensedTime;
  /** What the times read so far decide, by which the file is to be read again; null for nothing. */
  readonly decision: () => TimeReading | null;
};

const NOT_UNDERSTOOD = { fault: "is not a time that is understood" };
/** Dates whose parts may stand in several orders; a year of four digits in front leaves none. */
const ORDERED = /^\d{1,2}[-/. ]+\d{1,2}[-/. ]/;
/** Seconds of nine digits are after 1973, milliseconds of thirteen after 2001. */
const EPOCH_TEXT = /^-?\d{9,13}(?:\.\d+)?$/;
/** The years 1000 to 2100 in seconds; as milliseconds these are days of 1969 and 1970. */
const SECONDS_FROM = -30_610_224_000;
const SECONDS_UNTIL = 4_102_444_800;
const EPOCH_REMARK = "numbers are read as seconds since 1970";
const ORDER_NAMES: Readonly<Record<DateOrder, string>> = {
  dmy: "day, month, year",
  mdy: "month, day, year",
  ymd: "year, month, day",
};

export function createTimeSense({ dateOrder, epoch }: TimeReading): TimeSense {
  let possible: readonly DateOrder[] = DATE_ORDERS;
  let openDates = 0;
  let openNumbers = 0;
  let milliseconds = 0;

  function readDate(text: string): SensedTime {
    const times = writtenTime(text);
    if (times.size === 0) return EPOCH_TEXT.test(text) ? readNumber(Number(text)) : NOT_UNDERSTOOD;
    const isOrdered = ORDERED.test(text);
    if (isOrdered) possible = possible.filter((order) => times.has(order));
    if (isOrdered && dateOrder !== undefined) return inOrder(times, dateOrder);
    const [time = "", ...others] = new Set(times.values());
    if (others.length === 0) return { time, remark: "times are written as ISO 8601 has them" };
    openDates += 1;
    return { fault: `${severalMeanings(times)}: say dateOrder` };
  }

  function readNumber(value: number): SensedTime {
    const mayBeSeconds = value >= SECONDS_FROM && value <= SECONDS_UNTIL;
    if (mayBeSeconds) openNumbers += 1;
    else milliseconds += 1;
    if (mayBeSeconds && epoch === "mixed") {
      return { fault: "may be seconds or milliseconds since 1970: the file has both" };
    }
    const isSeconds = mayBeSeconds && epoch === "seconds";
    const time = isSeconds ? timeOfSeconds(value) : timeOfMilliseconds(value);
    if (time === null) return NOT_UNDERSTOOD;
    return { time, remark: isSeconds ? EPOCH_REMARK : null };
  }

  return {
    read(value) {
      if (typeof value === "number") return readNumber(value);
      return parseTime(value) === null ? readDate(value.trim()) : { time: value, remark: null };
    },
    decision() {
      const [order, ...others] = openDates > 0 && dateOrder === undefined ? possible : [];
      const isCounted = openNumbers > 0 && epoch === undefined;
      if (!isCounted && (order === undefined || others.length > 0)) return null;
      return {
        ...(order !== undefined && others.length === 0 && { dateOrder: order }),
        ...(isCounted && { epoch: milliseconds > 0 ? "mixed" : "seconds" }),
      };
    },
  };
}

function inOrder(times: ReadonlyMap<DateOrder, string>, dateOrder: DateOrder): SensedTime {
  const time = times.get(dateOrder);
  const order = ORDER_NAMES[dateOrder];
  if (time === undefined) return { fault: `is no date in the order ${order}`, isForeign: true };
  return { time, remark: `dates are read in the order ${order}` };
}

/** A time in a unit since 1970; null where it is none. */
export function timeOfEpoch(value: number, unit: ColumnUnit): string | null {
  return unit === "s" ? timeOfSeconds(value) : timeOfMilliseconds(value);
}

function timeOfSeconds(seconds: number): string | null {
  return timeOfMicros(seconds * 1_000_000, Number.isInteger(seconds) ? 0 : 6);
}

/** ISO 8601 UTC with three digits, or six if there are microseconds; null outside the years 1 to 9999. */
export function timeOfMilliseconds(milliseconds: number): string | null {
  return timeOfMicros(milliseconds * 1000, Number.isInteger(milliseconds) ? 3 : 6);
}

function timeOfMicros(micros: number, digits: number): string | null {
  if (!Number.isFinite(micros)) return null;
  try {
    return microsToTime(BigInt(Math.round(micros)), digits);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
