import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { readNumber, wrapLongitude } from "./numbers.ts";
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
    default: {
      const unknown: never = attribute.kind;
      throw new Error(`unknown kind of attribute: ${unknown}`);
    }
  }
}

function longitudeReader(): AttributeReader {
  const limits = { ...ATTRIBUTES.longitude, max: 360, integer: false };
  return (value, report) => {
    const longitude = readNumber("longitude", limits, value, report);
    return longitude === null ? null : wrapLongitude(longitude);
  };
}
