import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { microsToTime, parseTime } from "#contracts/seismic-event/time.ts";
import { type ColumnUnit, converted } from "#contracts/seismic-event/written-numbers.ts";
import {
  DATE_ORDERS,
  type DateOrder,
  severalMeanings,
  type TimePartNames,
  timeOfParts,
  writtenTime,
} from "#contracts/seismic-event/written-times.ts";
import { standsForUnknown } from "./written-values.ts";

/** How a file is read where its texts leave it open. */
export type FileReading = {
  /** Without it each date is read by itself, or refused where it has several meanings. */
  readonly dateOrder?: DateOrder | undefined;
  /** What numbers count since 1970; by default milliseconds. `mixed`: those of either are refused. */
  readonly epoch?: "seconds" | "mixed" | undefined;
  /**
   * Of depths whose unit is said nowhere. By default kilometres; `mixed`: they may be kilometres or metres, so
   * that none is read.
   */
  readonly depthUnit?: "m" | "mixed" | undefined;
};

export type FileSense = ReturnType<typeof createFileSense>;

/** The deepest earthquakes are at 700 km: limit in metres, with a margin. */
const MAX_METRES = 1_000_000;
const REMARKS = {
  m: "most of the depths are beyond 1000 km, so all are read as metres",
  mixed:
    "some of the depths are beyond 1000 km, others not, so that they may be kilometres or metres: " +
    "none is read before its column is said to have a unit",
};

/**
 * Reads what a file leaves open cell by cell, and finds what the whole file says of it. A whole column has one unit. A depth that no kilometres can be shows that these are in doubt: where such are
 * more than half of those that are not 0, the file has metres, else it is not known.
 */
export function createFileSense(reading: FileReading) {
  const times = createTimeSense(reading);
  const { depthUnit } = reading;
  let within = 0;
  let beyond = 0;

  function depthDecision(): FileReading | null {
    if (beyond === 0 || depthUnit !== undefined) return null;
    return { depthUnit: beyond > within ? "m" : "mixed" };
  }

  return {
    time: times.read,
    /** A depth in kilometres; of `mixed` ones a text that is no number. */
    depth(depth: number): { readonly depth: number | string; readonly remark: string | null } {
      const size = Math.abs(depth);
      if (size > MAX_METRES || standsForUnknown("depth", depth, ATTRIBUTES.depth)) {
        return { depth, remark: null };
      }
      if (size > ATTRIBUTES.depth.max) beyond += 1;
      else if (size > 0) within += 1;
      if (depthUnit === undefined) return { depth, remark: null };
      const remark = REMARKS[depthUnit];
      return { depth: depthUnit === "m" ? converted(depth, "m") : `${depth} km or m`, remark };
    },
    /** By what the file is to be read again; null for nothing. */
    decision(): FileReading | null {
      const [ofTimes, ofDepths] = [times.decision(), depthDecision()];
      return ofTimes === null && ofDepths === null ? null : { ...ofTimes, ...ofDepths };
    },
  };
}

/**
 * A time in ISO 8601, with a remark where it was written otherwise, or why it cannot be read;
 * `isForeign` for one that means something, but not in the order of the file's dates.
 */
export type SensedTime =
  | { readonly time: string; readonly remark: string | null }
  | { readonly fault: string; readonly isForeign?: true };

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

/** Reads a file's times, and finds what all of them together say of those left open. */
function createTimeSense({ dateOrder, epoch }: FileReading) {
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
    read(value: string | number): SensedTime {
      if (typeof value === "number") return readNumber(value);
      return parseTime(value) === null ? readDate(value.trim()) : { time: value, remark: null };
    },
    /** What the times read so far decide, by which the file is to be read again; null for nothing. */
    decision(): FileReading | null {
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

const SHOWN_LENGTH = 20;

/** The time of an event given in parts, null when they do not make one; and the warning, if any. */
export function readSplitTime(values: JsonObject, parts: TimePartNames) {
  const split = timeOfParts(values, parts);
  if (split === null || parseTime(split.time) === null) {
    return { time: null, warning: `no time can be made of ${listOf(values, parts)}` };
  }
  const { time, carried } = split;
  return { time, warning: carried ? `${listOf(values, parts)} are read as ${time}` : null };
}

function listOf(values: JsonObject, parts: TimePartNames): string {
  return [...parts.values()]
    .map((name) => `${name} ${String(values[name] ?? "").slice(0, SHOWN_LENGTH)}`.trim())
    .join(", ");
}
