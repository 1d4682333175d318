import { decimalsBy } from "#contracts/plots/numbers.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import type { LocatedRow } from "../../model/error-ellipse.ts";
import { measured } from "../../ui/text/format.ts";

type Place = Omit<LocatedRow, "latitude" | "longitude">;

/** How well a place is known: as a distance, else by latitude and longitude; empty where it is not told. */
export function placeMargin(place: Place): string {
  const { horizontal_uncertainty, latitude_uncertainty, longitude_uncertainty } = place;
  const far = told(horizontal_uncertainty);
  if (far !== null) return `± ${far} km`;
  const [north, east] = [told(latitude_uncertainty), told(longitude_uncertainty)];
  return north && east ? `± ${north}° N–S, ± ${east}° E–W` : "";
}

/** A ten-thousandth of a degree is some ten metres. */
const MOST_DIGITS = 4;

/** The decimals of degrees that the uncertainty of a place supports; four where it is not known. */
export function digitsOfPlace(place: Place): number {
  const { horizontal_uncertainty: km, latitude_uncertainty, longitude_uncertainty } = place;
  const degrees = km ? km / KM_PER_DEGREE : latitude_uncertainty || longitude_uncertainty;
  if (!degrees) return MOST_DIGITS;
  return Math.max(0, Math.min(MOST_DIGITS, decimalsBy(degrees)));
}

function told(sigma: number | null | undefined): string | null {
  return measured(null, sigma, "degrees")[1];
}
