import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { microsToTime, parseTime } from "#contracts/seismic-event/origin-time.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { mapEventType } from "../legacy-event-types.ts";
import { standsForUnknown } from "../unknown-numbers.ts";

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
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Converts a given value for the row; changes and doubts are noted. */
export type ValueReader = (value: JsonValue, notes: RowRemarks) => JsonValue;

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Length limit of texts whose attribute has none of its own. */
const DEFAULT_LENGTH = 255;

/** One reader per attribute, made from the table of attributes. */
export const VALUE_READERS = Object.fromEntries(
  ATTRIBUTE_NAMES.map((name) => [name, readerOf(name)]),
) as Readonly<Record<AttributeName, ValueReader>>;

function readerOf(name: AttributeName): ValueReader {
  const attribute: Attribute = ATTRIBUTES[name];
  if (name === "event_type") return mapping(name, mapEventType);
  switch (attribute.kind) {
    case "number":
    case "integer":
      return numeric(name, attribute);
    case "text":
      return text(name, attribute.maxLength ?? DEFAULT_LENGTH);
    case "enumeration": {
      const values = new Map((attribute.values ?? []).map((value) => [value.toLowerCase(), value]));
      return mapping(name, (given) => values.get(normalised(given)) ?? null);
    }
  }
}

function numeric(name: AttributeName, attribute: Attribute): ValueReader {
  const { min = Number.NEGATIVE_INFINITY, unit = "" } = attribute;
  // Longitudes of 180 to 360 are accepted too.
  const max = name === "longitude" ? 360 : (attribute.max ?? Number.POSITIVE_INFINITY);
  return (value, notes) => {
    const number = typeof value === "number" ? value : numberOf(value);
    if (number >= min && number <= max && number !== Number.POSITIVE_INFINITY) return number;
    if (!Number.isFinite(number)) {
      notes.warn(`${name}: ${quoted(value)} is not a number`);
      return value;
    }
    if (standsForUnknown(name, number, min)) {
      notes.warn(`${name}: ${number} stands for "not known"; it is kept under extra`);
      notes.keep(name, number);
      return null;
    }
    const range =
      max === Number.POSITIVE_INFINITY ? `less than ${min}` : `not between ${min} and ${max}`;
    notes.warn(`${name}: ${number} is ${range} ${unit}`.trimEnd());
    return number;
  };
}

function numberOf(value: JsonValue): number {
  if (typeof value !== "string" || !DECIMAL.test(value.trim())) return Number.NaN;
  return Number(value);
}

/** Identifiers that were written as numbers become text again. */
function text(name: AttributeName, maxLength: number): ValueReader {
  return (value, notes) => {
    if (typeof value === "string") {
      if (value.length > maxLength) notes.warn(`${name}: is longer than ${maxLength} characters`);
      return value;
    }
    if (typeof value === "number") return String(value);
    notes.warn(`${name}: ${quoted(value)} is not a text`);
    return value;
  };
}

/** A value without translation is kept under `extra`, so that the row stays usable. */
function mapping(name: AttributeName, translate: (given: string) => string | null): ValueReader {
  return (value, notes) => {
    const mapped = typeof value === "string" ? translate(value) : null;
    if (mapped === value) return mapped;
    if (mapped !== null && mapped === normalised(String(value))) return mapped;
    notes.keep(name, value);
    notes.warn(
      mapped === null
        ? `${name}: ${quoted(value)} is none of the values known for it; it is kept under extra`
        : `${name}: ${quoted(value)} is read as ${quoted(mapped)}`,
    );
    return mapped;
  };
}

function normalised(given: string): string {
  return given.trim().replaceAll("_", " ").toLowerCase();
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
