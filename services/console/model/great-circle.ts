import { EARTH_RADIUS_KM, RADIANS_PER_DEGREE as RADIAN } from "#contracts/units.ts";

/** Degrees. */
export type Place = { readonly latitude: number; readonly longitude: number };

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

/** The direction in which the great circle leaves a point, degrees from north over east, 0 to 360. */
export function azimuthTo(point: Place, at: Place): number {
  const { north, east } = directionTo(point, at);
  const azimuth = Math.atan2(east, north) / RADIAN;
  return azimuth < 0 ? azimuth + 360 : azimuth;
}

/** The way along the great circle from one place to another, in pieces of the same length. */
export function wayBetween(from: Place, to: Place, pieces: number): readonly Place[] {
  const [azimuth, km] = [azimuthTo(from, to), distanceKm(from, to)];
  return Array.from({ length: pieces + 1 }, (_, piece) =>
    placeFrom(from, azimuth, (km * piece) / pieces),
  );
}

/** The places at a distance from another, all around it; the last is the first. */
export function circleAround(middle: Place, km: number, pieces = 72): readonly Place[] {
  return Array.from({ length: pieces + 1 }, (_, piece) =>
    placeFrom(middle, (360 * piece) / pieces, km),
  );
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
