import { EARTH_RADIUS_KM, RADIANS_PER_DEGREE } from "../units.ts";

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

/** Degrees; latitude −90 to 90, longitude −180 to 180. */
export type Coordinates = { readonly latitude: number; readonly longitude: number };

/** Exactly 0 at the poles, where all longitudes are the same place; Math.cos gives 6e-17. */
export function cosineOfLatitude(latitude: number): number {
  return Math.abs(latitude) === 90 ? 0 : Math.cos(latitude * RADIANS_PER_DEGREE);
}

/**
 * sin²(angle / 2) of the angle between two places: monotonic in the distance, without an arc sine.
 * Symmetric to the last bit, and exactly 0 for 180° against −180°.
 * @param northward difference of the latitudes, degrees
 * @param eastward difference of the longitudes, degrees, −360 to 360
 */
export function haversine(
  northward: number,
  eastward: number,
  cosine1: number,
  cosine2: number,
): number {
  const around = Math.abs(eastward);
  const shortest = around > 180 ? 360 - around : around;
  const sinNorth = Math.sin(Math.abs(northward) * (RADIANS_PER_DEGREE / 2));
  const sinEast = Math.sin(shortest * (RADIANS_PER_DEGREE / 2));
  return sinNorth * sinNorth + cosine1 * cosine2 * (sinEast * sinEast);
}

/** Kilometres along the great circle. */
export function haversineToKm(haversineOfAngle: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(haversineOfAngle)));
}

/** The haversine of a distance up to half the circumference. */
export function kmToHaversine(kilometres: number): number {
  return Math.sin(Math.min(kilometres / EARTH_RADIUS_KM, Math.PI) / 2) ** 2;
}

/** Kilometres along the great circle between two places. */
export function greatCircleKm(a: Coordinates, b: Coordinates): number {
  return haversineToKm(
    haversine(
      a.latitude - b.latitude,
      a.longitude - b.longitude,
      cosineOfLatitude(a.latitude),
      cosineOfLatitude(b.latitude),
    ),
  );
}
