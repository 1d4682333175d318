import { EARTH_RADIUS_KM } from "#contracts/units.ts";

/** Degrees. */
export type Place = { readonly latitude: number; readonly longitude: number };

const RADIAN = Math.PI / 180;

/** A place's direction in the frame of a point on a sphere, as a unit vector: north, east and up. */
export function directionTo(
  point: Place,
  at: Place,
): { readonly north: number; readonly east: number; readonly up: number } {
  const [from, to] = [point.latitude * RADIAN, at.latitude * RADIAN];
  const turn = (at.longitude - point.longitude) * RADIAN;
  return {
    north: Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(turn),
    east: Math.cos(to) * Math.sin(turn),
    up: Math.sin(from) * Math.sin(to) + Math.cos(from) * Math.cos(to) * Math.cos(turn),
  };
}

/** Kilometres along the great circle. */
export function distanceKm(a: Place, b: Place): number {
  const { north, east, up } = directionTo(a, b);
  return EARTH_RADIUS_KM * Math.atan2(Math.hypot(north, east), up);
}

/** The place so many kilometres from a point; longitudes are −180 to 180. @param azimuth degrees from north over east */
export function placeFrom(point: Place, azimuth: number, km: number): Place {
  const [from, way, far] = [point.latitude * RADIAN, azimuth * RADIAN, km / EARTH_RADIUS_KM];
  const sine = Math.sin(from) * Math.cos(far) + Math.cos(from) * Math.sin(far) * Math.cos(way);
  const turn = Math.atan2(
    Math.sin(way) * Math.sin(far) * Math.cos(from),
    Math.cos(far) - Math.sin(from) * sine,
  );
  const longitude = point.longitude + turn / RADIAN;
  return {
    latitude: Math.asin(Math.max(-1, Math.min(1, sine))) / RADIAN,
    longitude: longitude - 360 * Math.round(longitude / 360),
  };
}
