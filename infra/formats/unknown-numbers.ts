import { ATTRIBUTE_NAMES, type AttributeName } from "#contracts/seismic-event/attributes.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

/**
 * Attributes for which some agencies write 0 when the value is unknown. No measurement is that good,
 * but elsewhere a 0 may be intended, so such files are recognised by their shape.
 */
const UNKNOWN_AT_ZERO: readonly AttributeName[] = ATTRIBUTE_NAMES.filter(
  (name) => name.endsWith("_uncertainty") || name === "standard_error" || name === "azimuthal_gap",
);

export const ZERO_IS_UNKNOWN =
  '0 stands for "not known" in files like this; it is kept under extra';

/** Magnitudes of −9 and below mean that there is none. */
const NO_MAGNITUDE = -9;
/** −9, −99, −999, −999.9, …, and the same without a sign where no value is so large: an unknown number in tables and databases. */
const NINES = /^-9+(?:\.[09]+)?$/;

type Limits = { readonly min?: number | undefined; readonly max?: number | undefined };

export function isUnknownAtZero(name: string): boolean {
  return (UNKNOWN_AT_ZERO as readonly string[]).includes(name);
}

/** Recognises GeoNet's quakesearch, as CSV or from its map service, by its names. */
export function isQuakesearch(names: readonly string[]): boolean {
  return names.includes("publicid") && names.includes("origintime");
}

/** Recognises NERIES's QuakeML 1.0 by its first tags. */
export function isNeries(head: string): boolean {
  return head.includes("quakeml.org/xmlns/quakeml/1.0") && head.includes('"smi:eu.emsc/');
}

/** Sets zeros to null and returns them, or null without any; warns once per attribute. */
export function createZeroTaker(): (
  row: JsonObject,
  warn: (message: string) => void,
) => JsonObject | null {
  const topics = new Set<string>();
  return (row, warn) => {
    let zeros: JsonObject | null = null;
    for (const name of UNKNOWN_AT_ZERO) {
      if (row[name] !== 0) continue;
      row[name] = null;
      zeros ??= {};
      zeros[name] = 0;
      if (!topics.has(name)) warn(`${name}: ${ZERO_IS_UNKNOWN}`);
      topics.add(name);
    }
    return zeros;
  };
}

/**
 * True for a number that means "unknown": nines beyond the attribute's range, but for positions, and
 * −1 where negative numbers are impossible, as in CSS 3.0 for uncertainties and counts.
 */
export function standsForUnknown(
  name: AttributeName | null,
  number: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Limits,
): boolean {
  if (name === "magnitude" && number <= NO_MAGNITUDE) return true;
  if (number > max) return !isPosition(name) && NINES.test(String(-number));
  return number < min && (NINES.test(String(number)) || (min === 0 && number === -1));
}

function isPosition(name: AttributeName | null): boolean {
  return name === null || name === "latitude" || name === "longitude";
}
