import { microsToTime, parseTime } from "#contracts/seismic-event/origin-time.ts";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { quoted, type RowRemarks } from "./row-remarks.ts";

const TIME_OF_DAY = /^\s*\d{1,2}:\d/;

export function isTimeOfDay(value: JsonValue | undefined): value is string {
  return typeof value === "string" && TIME_OF_DAY.test(value);
}

/**
 * A time as given. A number is milliseconds since 1970, as in USGS's data and in data frames; it
 * becomes ISO 8601 text for exactly the same instant, to the microsecond.
 */
export function readTime(value: JsonValue, notes: RowRemarks): JsonValue {
  if (typeof value === "string") {
    if (parseTime(value) === null) {
      notes.warn(`time: ${quoted(value)} is not a time that is understood`);
    }
    return value;
  }
  const time = typeof value === "number" ? timeOfMilliseconds(value) : null;
  if (time === null) notes.warn(`time: ${quoted(value)} is not a time that is understood`);
  return time ?? value;
}

/** ISO 8601 UTC with three digits, or six if there are microseconds; null outside the years 1 to 9999. */
export function timeOfMilliseconds(milliseconds: number): string | null {
  const micros = Math.round(milliseconds * 1000);
  if (!Number.isFinite(micros)) return null;
  try {
    return microsToTime(BigInt(micros), Number.isInteger(milliseconds) ? 3 : 6);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
