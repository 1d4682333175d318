import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import { distanceKm, type Place } from "../great-circle.ts";
import type { Box, NamedPlace } from "./place-areas.ts";

/** An area whose places are known, or still to be fetched. */
export type KnownArea = { readonly box: Box; readonly places: readonly NamedPlace[] | null };

/** The nearest place and how far it is; or the area that must be known first; or no place so near. */
export type Nearest =
  | { readonly kind: "place"; readonly place: NamedPlace; readonly km: number }
  | { readonly kind: "area"; readonly index: number }
  | { readonly kind: "none" };

const RADIAN = Math.PI / 180;

/**
 * The place nearest to a point along the great circle. Areas that lie farther than a place that is
 * known are not asked for.
 * @param limitKm places farther away are none
 */
export function nearestPlace(point: Place, areas: readonly KnownArea[], limitKm: number): Nearest {
  const byDistance = areas
    .map(({ box }, index) => ({ index, least: distanceToBox(point, box) }))
    .filter(({ least }) => least <= limitKm)
    .toSorted((a, b) => a.least - b.least);
  let best: Extract<Nearest, { kind: "place" }> | null = null;
  for (const { index, least } of byDistance) {
    if (best !== null && best.km <= least) break;
    const places = areas[index]?.places;
    if (!places) return { kind: "area", index };
    for (const place of places) {
      const km = distanceKm({ latitude: place[1], longitude: place[2] }, point);
      if (km <= limitKm && (best === null || km < best.km)) best = { kind: "place", place, km };
    }
  }
  return best ?? { kind: "none" };
}

/** Kilometres from a point to the nearest point of a box, 0 inside it. */
export function distanceToBox({ latitude, longitude }: Place, box: Box): number {
  const { south, west, north, east } = box;
  const fromWest = turned(longitude - west);
  if (fromWest <= east - west) {
    return EARTH_RADIUS_KM * RADIAN * Math.max(0, south - latitude, latitude - north);
  }
  return Math.min(
    distanceToMeridian(latitude, fromWest, box),
    distanceToMeridian(latitude, turned(longitude - east), box),
  );
}

/**
 * Kilometres to the piece of a meridian between two parallels, which lies so many degrees of longitude
 * away. Along a meridian the cosine of the distance is one wave, with one crest.
 */
function distanceToMeridian(latitude: number, turn: number, { south, north }: Box): number {
  const here = { latitude, longitude: turn };
  const [sine, cosine] = [Math.sin(latitude * RADIAN), Math.cos(latitude * RADIAN)];
  const crest = Math.atan2(sine, cosine * Math.cos(turn * RADIAN)) / RADIAN;
  const nearest = [south, north, Math.max(south, Math.min(north, crest))];
  return Math.min(...nearest.map((there) => distanceKm(here, { latitude: there, longitude: 0 })));
}

/** 0 ≤ degrees < 360. */
function turned(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}
