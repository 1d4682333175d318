import { EARTH_RADIUS_KM } from "../units.ts";

const RADIANS_PER_DEGREE = Math.PI / 180;

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
