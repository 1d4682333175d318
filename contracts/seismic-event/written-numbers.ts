/** Numbers, units and magnitude types as people write them in files. */

import { ATTRIBUTES, type Attribute, type AttributeName } from "./attributes.ts";

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

/** Units that a column may be said to have, and what makes the unit `of` attributes of their numbers. */
export const UNITS = {
  m: { of: "km", factor: 1e-3 },
  km: { of: "km", factor: 1 },
  mi: { of: "km", factor: 1.609344 },
  deg: { of: "deg", factor: 1 },
  rad: { of: "deg", factor: 180 / Math.PI },
  s: { of: "s", factor: 1 },
  ms: { of: "s", factor: 1e-3 },
} as const;
export type ColumnUnit = keyof typeof UNITS;

/** Digits of a double that no multiplication falsifies. */
const SAFE_DIGITS = 15;

/** A number in a unit, in the unit of attributes: without the noise of binary fractions. */
export function converted(number: number, unit: ColumnUnit): number {
  const { factor } = UNITS[unit];
  return factor === 1 ? number : Number((number * factor).toPrecision(SAFE_DIGITS));
}

/** The power of ten that converts a unit, by its spelling, to the unit of an attribute. */
const SPELLINGS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  km: {
    ...spelled(0, "km kms kilometer kilometers kilometre kilometres"),
    ...spelled(-3, "m meter meters metre metres"),
    ...spelled(-5, "cm"),
  },
  deg: spelled(0, "° º deg degs degree degrees"),
  s: {
    ...spelled(0, "s sec secs second seconds"),
    ...spelled(-3, "ms msec milliseconds"),
  },
};

/** Units that are known not to be read: converting them is no shift of the decimal point. */
const NOT_READ = new Set(
  "ft feet foot mi mile miles nmi rad radian radians arcmin arcsec".split(" "),
);

/** The power of ten that converts from a unit to the attribute's; null for no unit of its. */
export function placesOfUnit(name: AttributeName, unit: string): number | null {
  const { unit: own = "" }: Attribute = ATTRIBUTES[name];
  const spellings = SPELLINGS[own];
  const key = unit.trim().toLowerCase();
  if (spellings === undefined || !Object.hasOwn(spellings, key)) return null;
  return spellings[key] ?? null;
}

export function isUnitNotRead(unit: string): boolean {
  return NOT_READ.has(unit.trim().toLowerCase());
}

function spelled(places: number, spellings: string): Record<string, number> {
  return Object.fromEntries(spellings.split(" ").map((spelling) => [spelling, places]));
}

/** M and a letter for the kind of wave or method, then a variant: Mwc, MLv, mbLg, Ms_20, Mw(mB). */
const TYPE = /^m(?:[wsbldcehnj](?:[a-z]{1,2}|_?lg|_?20|_?bb|\((?:mb|bb)\)|nz20)?)?$/i;

/** Names of columns that hold magnitudes of one type, best first, with the type's usual spelling. */
const COLUMN_NAMES: readonly (readonly [string, string])[] = [
  ["mw", "Mw"],
  ["mww", "Mww"],
  ["mwc", "Mwc"],
  ["mwb", "Mwb"],
  ["mwr", "Mwr"],
  ["mwp", "Mwp"],
  ["ms", "Ms"],
  ["mb", "mb"],
  ["ml", "ML"],
  ["mlv", "MLv"],
  ["mblg", "mbLg"],
  ["md", "Md"],
  // New Zealand's local magnitude (Rhoades et al., 2021).
  ["mlnz20", "MLNZ20"],
];

/** True for a text that is a magnitude's type, not any other word. */
export function isMagnitudeType(text: string): boolean {
  return TYPE.test(text.trim());
}

/** The type of the magnitudes in a column named for it; a bare `M` says none. */
export function magnitudeTypeOfName(name: string): { name: string; rank: number } | null {
  const bare = name.trim().replaceAll("_", "");
  const at = COLUMN_NAMES.findIndex(([key]) => key === bare.toLowerCase());
  if (at < 0) return null;
  // The case tells broad-band mB from short-period mb.
  const type = bare.startsWith("mB") ? bare : (COLUMN_NAMES[at]?.[1] ?? bare);
  return { name: type, rank: at / COLUMN_NAMES.length };
}
