import type { AgencyQuery } from "./agency-query.ts";

/** A box to request, in degrees: west ≤ east, both of one sign. */
export type LongitudeBox = { readonly west: number; readonly east: number };

/** Margin added to each bound, in degrees, since some agencies round to 0.001°. */
export const DEGREES_MARGIN = 0.001;

type Side = { readonly first: number; readonly last: number };
/** Ends a tenth of a millimetre before the prime meridian, where the eastern side begins. */
const WESTERN: Side = { first: -180, last: -1e-9 };
const EASTERN: Side = { first: 0, last: 180 };

/**
 * The boxes of longitude to request; [null] for all longitudes. A box across the antimeridian
 * becomes two, because few agencies accept west > east. So does one across the prime meridian:
 * GeoNet shifts longitudes to 0…360, where −10…10 is empty.
 */
export function longitudeBoxes(
  query: Pick<AgencyQuery, "minLongitude" | "maxLongitude">,
): readonly (LongitudeBox | null)[] {
  const [west, east] = [query.minLongitude ?? -180, query.maxLongitude ?? 180];
  if (west <= -180 && east >= 180) return [null];
  if (west <= east) return sidesOf(west, east);
  return [...sidesOf(west, 180), ...sidesOf(-180, east)];
}

function sidesOf(west: number, east: number): LongitudeBox[] {
  return [WESTERN, EASTERN].flatMap(({ first, last }) => {
    if (west > last || east < first) return [];
    return [
      {
        west: Math.max(first, west - DEGREES_MARGIN),
        east: Math.min(last, east + DEGREES_MARGIN),
      },
    ];
  });
}
