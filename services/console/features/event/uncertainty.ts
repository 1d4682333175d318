import { measured } from "../../ui/text/digits.ts";

type Known = number | null | undefined;

type Place = {
  readonly horizontal_uncertainty?: Known;
  readonly latitude_uncertainty?: Known;
  readonly longitude_uncertainty?: Known;
};

/** How well a place is known: as a distance, else by latitude and longitude; empty where it is not told. */
export function placeMargin(place: Place): string {
  const { horizontal_uncertainty, latitude_uncertainty, longitude_uncertainty } = place;
  const far = told(horizontal_uncertainty);
  if (far !== null) return `± ${far} km`;
  const [north, east] = [told(latitude_uncertainty), told(longitude_uncertainty)];
  return north && east ? `± ${north}° N–S, ± ${east}° E–W` : "";
}

function told(sigma: Known): string | null {
  return measured(null, sigma, "degrees")[1];
}
