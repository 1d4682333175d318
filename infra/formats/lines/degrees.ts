import { KM_PER_DEGREE } from "#contracts/units.ts";

const RADIANS = Math.PI / 180;
/** At the poles a length says nothing of the longitude. */
const MOST_DEGREES = 180;

/** Degrees of a great circle, and so of latitude. */
export function degreesOfKm(km: number): number {
  return km / KM_PER_DEGREE;
}

/** Degrees of longitude of a length to the east; undefined for one that goes round the pole. */
export function degreesEast(km: number, latitude: number): number | undefined {
  const degrees = km / (KM_PER_DEGREE * Math.cos(latitude * RADIANS));
  return degrees > MOST_DEGREES ? undefined : degrees;
}
