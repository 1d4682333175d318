import type { AttributeName } from "#contracts/seismic-event/attributes.ts";

/** Magnitudes of −9 and below mean that there is none. */
const NO_MAGNITUDE = -9;
/** −9, −99, −999, −999.9, …: an unknown number in tables and databases. */
const NINES = /^-9+(?:\.[09]+)?$/;

/**
 * True for a number that means "unknown": nines below the attribute's range, and −1 where negative
 * numbers are impossible, as in CSS 3.0 for uncertainties and counts. `min` is the lowest possible
 * value.
 */
export function standsForUnknown(name: AttributeName | null, number: number, min: number): boolean {
  if (name === "magnitude" && number <= NO_MAGNITUDE) return true;
  return number < min && (NINES.test(String(number)) || (min === 0 && number === -1));
}
