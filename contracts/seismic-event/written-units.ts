import { ATTRIBUTES, type Attribute, type AttributeName } from "./attributes.ts";

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
