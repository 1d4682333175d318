import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import { directionTo, type Place } from "../model/great-circle.ts";

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
  profile: Profile,
  at: Place,
): { readonly along: number; readonly across: number } {
  const { north, east, up } = directionTo(profile, at);
  const azimuth = profile.azimuth * RADIAN;
  const [sine, cosine] = [Math.sin(azimuth), Math.cos(azimuth)];
  const forward = north * cosine + east * sine;
  const right = east * cosine - north * sine;
  return {
    along: EARTH_RADIUS_KM * Math.atan2(forward, up),
    across: EARTH_RADIUS_KM * Math.asin(Math.max(-1, Math.min(1, right))),
  };
}
