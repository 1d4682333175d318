import type { AttributeName } from "#contracts/seismic-event/attributes.ts";

/** Magnitudes of −9 and below mean that there is none. */
const NO_MAGNITUDE = -9;
/** −9, −99, −999, −999.9, …: what tables and databases write for a number that is not known. */
const NINES = /^-9+(?:\.[09]+)?$/;

/**
 * True for a number that stands for "not known": nines below what the attribute can be, and below
 * zero −1 too, as CSS 3.0 has it for uncertainties and counts. `min` is the least that is possible.
 */
export function standsForUnknown(name: AttributeName | null, number: number, min: number): boolean {
  if (name === "magnitude" && number <= NO_MAGNITUDE) return true;
  return number < min && (NINES.test(String(number)) || (min === 0 && number === -1));
}
