import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { LONGITUDES_WRAPPED, TURN, wrapLongitude } from "#contracts/seismic-event/longitude.ts";
import { isMissingWord, numberOf, writtenDecimal } from "#contracts/seismic-event/number-text.ts";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { mapEventType, spacedName } from "../legacy-event-types.ts";
import { standsForUnknown } from "../unknown-numbers.ts";
import { quoted, type RowRemarks } from "./field-value.ts";

/** Converts a value for the row; changes and doubts are noted. */
export type ValueReader = (value: JsonValue, notes: RowRemarks) => JsonValue;

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
      return mapping(name, (word) => values.get(spacedName(word)) ?? null);
    }
  }
}

function numeric(name: AttributeName, attribute: Attribute): ValueReader {
  const { min = Number.NEGATIVE_INFINITY, unit = "" } = attribute;
  const max = name === "longitude" ? TURN : (attribute.max ?? Number.POSITIVE_INFINITY);
  return (value, notes) => {
    const text = typeof value === "string" ? value : "";
    if (isMissingWord(text.trim())) return null;
    const number = typeof value === "number" ? value : numberIn(name, text, notes);
    if (number >= min && number <= max && number !== Number.POSITIVE_INFINITY) {
      if (name !== "longitude" || number <= 180) return number;
      notes.warnOnce(`${name}: ${LONGITUDES_WRAPPED}`);
      return wrapLongitude(number);
    }
    if (!Number.isFinite(number)) {
      notes.warn(`${name}: ${quoted(value)} is not a number`);
      return value;
    }
    if (standsForUnknown(name, number, { min, max })) {
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

/** A number in a text, however it is written; NaN for other text. */
function numberIn(name: AttributeName, text: string, notes: RowRemarks): number {
  const plain = numberOf(text);
  const decimal = Number.isNaN(plain) ? writtenDecimal(name, text) : null;
  if (decimal === null) return plain;
  notes.warnOnce(`${name}: ${quoted(text)} is read as ${Number(decimal)}`, name);
  return Number(decimal);
}

/** Identifiers that were written as numbers become text again. */
export function text(name: AttributeName, maxLength: number): ValueReader {
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
function mapping(name: AttributeName, translate: (word: string) => string | null): ValueReader {
  return (value, notes) => {
    const translation = typeof value === "string" ? translate(value) : null;
    if (translation === value) return translation;
    if (translation !== null && translation === spacedName(String(value))) return translation;
    notes.keep(name, value);
    notes.warn(
      translation === null
        ? `${name}: ${quoted(value)} is none of the values known for it; it is kept under extra`
        : `${name}: ${quoted(value)} is read as ${quoted(translation)}`,
    );
    return translation;
  };
}
