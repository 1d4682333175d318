import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { wrapLongitude } from "#contracts/seismic-event/longitude.ts";
import { isMissingWord, writtenDecimal } from "#contracts/seismic-event/number-text.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { enumerationOf, readEnumeration, readText } from "./text.ts";
import type { Report } from "./validation-result.ts";

/** Reads a given value of one attribute; null for a blank or, with a report, an invalid one. */
export type AttributeReader = (value: unknown, report: Report) => string | number | null;

/** One reader per attribute, made from the table of attributes. */
export const ATTRIBUTE_READERS = Object.fromEntries(
  ATTRIBUTE_NAMES.map((name) => [name, readerOf(name)]),
) as Readonly<Record<AttributeName, AttributeReader>>;

function readerOf(name: AttributeName): AttributeReader {
  if (name === "longitude") return longitudeReader();
  const attribute: Attribute = ATTRIBUTES[name];
  switch (attribute.kind) {
    case "number":
    case "integer": {
      const limits = { ...attribute, integer: attribute.kind === "integer" };
      return (value, report) => readNumber(name, limits, value, report);
    }
    case "text": {
      const maxLength = attribute.maxLength ?? 255;
      return (value, report) => readText(name, maxLength, value, report);
    }
    case "enumeration": {
      const values = enumerationOf(attribute.values ?? []);
      return (value, report) => readEnumeration(name, values, value, report);
    }
    default:
      return unknownCase(attribute.kind);
  }
}

function longitudeReader(): AttributeReader {
  const limits = { ...ATTRIBUTES.longitude, max: 360, integer: false };
  return (value, report) => {
    const longitude = readNumber("longitude", limits, value, report);
    return longitude === null ? null : wrapLongitude(longitude);
  };
}

export type NumberLimits = Pick<Attribute, "min" | "max" | "unit"> & { readonly integer: boolean };

/**
 * A number within limits, given as a number or as text (in rows of files): decimal or with its unit,
 * a word for missing is null. Null when absent or, with a report, invalid. Negative zero becomes zero, since JSON does not distinguish them.
 */
export function readNumber(
  field: AttributeName,
  limits: NumberLimits,
  value: unknown,
  report: Report,
): number | null {
  const number = typeof value === "number" ? value : numberOfText(field, value);
  if (number === null) return null;
  if (!Number.isFinite(number)) {
    return report(field, isNumber(field, value) ? "must be a finite number" : "must be a number");
  }
  if (limits.integer && !Number.isInteger(number)) return report(field, "must be an integer");
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = limits;
  return number < min || number > max ? report(field, rangeMessage(limits)) : number + 0;
}

/** NaN when not a number; null when absent. */
function numberOfText(field: AttributeName, value: unknown): number | null {
  if (typeof value !== "string") return Number.NaN;
  const text = value.trim();
  if (text === "" || isMissingWord(text)) return null;
  const decimal = writtenDecimal(field, text);
  return decimal === null ? Number.NaN : Number(decimal);
}

function isNumber(field: AttributeName, value: unknown): boolean {
  if (typeof value === "string") return writtenDecimal(field, value) !== null;
  return typeof value === "number";
}

function rangeMessage({ min, max, unit }: NumberLimits): string {
  const units = unit === undefined ? "" : ` ${unit}`;
  if (min === undefined) return `must be at most ${max}${units}`;
  if (max === undefined) return `must be at least ${min}${units}`;
  return `must be between ${min} and ${max}${units}`;
}
