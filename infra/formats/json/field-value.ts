import { microsToTime } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/** Remarks on the current row. */
export type RowRemarks = {
  readonly warn: (message: string) => void;
  /** Keeps under `extra` an original that the row holds changed or not at all. */
  readonly keep: (name: string, value: JsonValue) => void;
};

/** Keeps both values when a name occurs in `extra` and beside it. */
export function addTo(extra: JsonObject, name: string, value: JsonValue): void {
  let free = name;
  for (let i = 1; Object.hasOwn(extra, free); i++) free = `${name}.${i}`;
  extra[free] = value;
}

/** Shortens long texts for messages. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const TIME_OF_DAY = /^\s*\d{1,2}:\d/;

export function isTimeOfDay(value: JsonValue | undefined): value is string {
  return typeof value === "string" && TIME_OF_DAY.test(value);
}

/** A time as given; milliseconds since 1970, as USGS writes them, become ISO 8601 text. */
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
