import { isMissingWord } from "#contracts/seismic-event/number-text.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { FileSense } from "../file-sense.ts";

export type RowRemarks = {
  readonly warn: (message: string) => void;
  /** Warns in the first row to which a topic, by default the message, applies. */
  readonly warnOnce: (message: string, topic?: string) => void;
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

/** A time in ISO 8601; numbers count from 1970. */
export function readTime(value: JsonValue, notes: RowRemarks, sense: FileSense): JsonValue {
  const sensed =
    typeof value === "string" || typeof value === "number"
      ? sense.time(value)
      : { fault: "is not a time that is understood" };
  if ("fault" in sensed) {
    if (typeof value === "string" && isMissingWord(value.trim())) return null;
    notes.warn(`time: ${quoted(value)} ${sensed.fault}`);
    if (!("isForeign" in sensed)) return value;
    notes.keep("time", value);
    return null;
  }
  if (sensed.remark !== null) notes.warnOnce(`time: ${sensed.remark}`);
  return sensed.time;
}
