/** All the way around, degrees. */
export const TURN = 360;

/** What is told of a file whose longitudes are wrapped. */
export const LONGITUDES_WRAPPED = "longitudes of 180 to 360 are read as those of −180 to 0";

/**
 * The meridian of a longitude between −360 and 360, as −180 to 180. The addition is decimal, so that
 * 359.9 becomes −0.1 and not −0.10000000000002274.
 */
export function wrapLongitude(longitude: number): number {
  if (longitude > 180) return turned(longitude, -1);
  return longitude < -180 ? turned(longitude, 1) : longitude;
}

/** A longitude, degrees, and whole turns: the number nearest to the decimal sum. */
export function turned(longitude: number, turns: number): number {
  const sum = longitude + TURN * turns;
  const text = String(longitude);
  if (text.includes("e")) return sum;
  return Number(sum.toFixed(text.split(".")[1]?.length ?? 0)) + 0;
}

/**
 * Whether a place is in a box of longitudes, degrees from −180 to 180. A west above the east is a box across
 * the antimeridian; ±180° are the same meridian, and a pole is on all of them.
 */
export function isBetweenMeridians(
  west: number,
  east: number,
  latitude: number,
  longitude: number,
): boolean {
  if (Math.abs(latitude) === 90) return true;
  if (west > east) return longitude >= west || longitude <= east;
  if (longitude >= west && longitude <= east) return true;
  return Math.abs(longitude) === 180 && (west === -180 || east === 180);
}
