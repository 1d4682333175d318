import { ATTRIBUTES, type Attribute, type AttributeName } from "./attributes.ts";
import { isMagnitudeType } from "./magnitude-types.ts";
import { placesOfUnit } from "./written-units.ts";

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Words for an unknown number or time, besides an empty cell. */
const MISSING = new Set(
  "nan nat null none na n/a <na> #n/a #na -nan inf -inf +inf infinity -infinity unknown unk undefined . - -- --- -.- ? ?? * ** ***".split(
    " ",
  ),
);
/** The longest of them. */
const MAX_MISSING_LENGTH = 9;

/** Typographic minus signs and dashes that stand before numbers. */
const MINUS = /[\u2010-\u2014\u2212\uFE63\uFF0D](?=[\d.])/g;

/** Signs of the hemispheres, by the attribute. */
const HEMISPHERES: Readonly<Partial<Record<AttributeName, string>>> = {
  latitude: "NS",
  longitude: "EW",
};

/** True for `nan`, `NULL`, `<NA>`, `-`, `?` and the like. */
export function isMissingWord(text: string): boolean {
  return text.length <= MAX_MISSING_LENGTH && MISSING.has(text.toLowerCase());
}

/** `Number` also accepts blanks, `Infinity` and `0x1F`; none of these starts like a plain decimal. */
function isPlain(text: string): boolean {
  return text.charCodeAt(0) > 32 && !(text.charCodeAt(1) > 57);
}

/** The finite decimal number in a text; NaN for other text. */
export function numberOf(text: string): number {
  const number = Number(text);
  if (isPlain(text)) return Number.isFinite(number) ? number : Number.NaN;
  return DECIMAL.test(text.trim()) && Number.isFinite(number) ? number : Number.NaN;
}

export function isNumeric(text: string): boolean {
  return DECIMAL.test(text);
}

/**
 * The decimal in a text as people write an attribute's value: with a typographic minus, a unit
 * (`12 km`, `12000 m`, `38.5°`), a hemisphere (`38.5S`, `W 120.25`) or a magnitude's type (`M4.5`,
 * `4.5 ML`). Null for other text.
 */
export function writtenDecimal(name: AttributeName, text: string): string | null {
  const plain = text
    .trim()
    .replaceAll(MINUS, "-")
    .replaceAll(/[\u00a0\u2009\u202f]/g, " ");
  if (DECIMAL.test(plain)) return plain;
  const letters = HEMISPHERES[name];
  if (letters !== undefined) return decimalOfAngle(name, plain, letters);
  return name === "magnitude" ? decimalOfMagnitude(plain) : decimalInUnit(name, plain);
}

function decimalOfAngle(name: AttributeName, text: string, letters: string): string | null {
  const [first = "", last = ""] = [text.charAt(0).toUpperCase(), text.slice(-1).toUpperCase()];
  const isLeading = letters.includes(first);
  if (!isLeading && !letters.includes(last)) return decimalInUnit(name, text);
  const bare = (isLeading ? text.slice(1) : text.slice(0, -1)).trim();
  const decimal = DECIMAL.test(bare) ? bare : decimalInUnit(name, bare);
  // A sign beside the hemisphere would be said twice.
  if (decimal === null || /^[+-]/.test(decimal)) return null;
  return (isLeading ? first : last) === letters[1] ? `-${decimal}` : decimal;
}

function decimalOfMagnitude(text: string): string | null {
  const start = text.search(/[\d.+-]/);
  const decimal = text.slice(start).trim();
  if (start > 0 && DECIMAL.test(decimal)) {
    return isMagnitudeType(text.slice(0, start)) ? decimal : null;
  }
  const [number = "", type = "", ...more] = text.split(" ");
  const isTyped = more.length === 0 && DECIMAL.test(number) && isMagnitudeType(type);
  return isTyped ? number : null;
}

function decimalInUnit(name: AttributeName, text: string): string | null {
  const { unit }: Attribute = ATTRIBUTES[name];
  if (unit === undefined) return null;
  let end = text.length;
  while (end > 0 && !/[\d.]/.test(text.charAt(end - 1))) end--;
  const decimal = text.slice(0, end);
  const places = placesOfUnit(name, text.slice(end));
  return places === null || !DECIMAL.test(decimal) ? null : movedPoint(decimal, places);
}

/** A decimal text times ten to the power of `places`. */
export function movedPoint(decimal: string, places: number): string {
  if (places === 0) return decimal;
  const [mantissa = "", exponent = "0"] = decimal.toLowerCase().split("e");
  return `${mantissa}e${Number(exponent) + places}`;
}
