import { EARTH_RADIUS_KM } from "#contracts/units.ts";

/** A great circle through a point, and how far from it events are taken. */
export type Profile = {
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
  /** Degrees from north over east. */
  readonly azimuth: number;
  readonly halfWidthKm: number;
};

const RADIAN = Math.PI / 180;

/** Kilometres from the profile's point along it, and from it to the right, on a sphere. */
export function placeOnProfile(
  { latitude, longitude, azimuth }: Profile,
  at: { readonly latitude: number; readonly longitude: number },
): { readonly along: number; readonly across: number } {
  const [from, to] = [latitude * RADIAN, at.latitude * RADIAN];
  const turn = (at.longitude - longitude) * RADIAN;
  // The place's direction in the frame of the point: north, east and up.
  const north = Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(turn);
  const east = Math.cos(to) * Math.sin(turn);
  const up = Math.sin(from) * Math.sin(to) + Math.cos(from) * Math.cos(to) * Math.cos(turn);
  const [sine, cosine] = [Math.sin(azimuth * RADIAN), Math.cos(azimuth * RADIAN)];
  const forward = north * cosine + east * sine;
  const right = east * cosine - north * sine;
  return {
    along: EARTH_RADIUS_KM * Math.atan2(forward, up),
    across: EARTH_RADIUS_KM * Math.asin(Math.max(-1, Math.min(1, right))),
  };
}
