import { EARTH_RADIUS_KM, RADIANS_PER_DEGREE as RADIAN } from "#contracts/units.ts";
import { type Bounds, turned } from "./bounds.ts";
import { directionTo, distanceKm, type Place } from "./great-circle.ts";

/** Places farther away say less than the name of the ocean. */
export const FARTHEST_KM = 1_000;

/** As near as the places' coordinates, hundredths of a degree, can tell. */
const AT_PLACE_KM = 2;
/** From here on kilometres are told in tens, and directions in sixteenths. */
const FAR_KM = 100;

const WINDS = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE"];
const ALL_WINDS = [...WINDS, "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];

/** "12 km SE of Taupo", "near Taupo". */
export function whereFrom([name, latitude, longitude]: NamedPlace, at: Place): string {
  const place = { latitude, longitude };
  const km = distanceKm(place, at);
  if (km < AT_PLACE_KM) return `near ${name}`;
  const told = km < FAR_KM ? Math.round(km) : 10 * Math.round(km / 10);
  return `${told.toLocaleString("en")} km ${windFrom(place, at, km < FAR_KM ? 8 : 16)} of ${name}`;
}

/** The direction from a place to another, as one of 8 or 16 winds. */
export function windFrom(place: Place, at: Place, winds: 8 | 16): string {
  const { north, east } = directionTo(place, at);
  const turn = Math.atan2(east, north) / (2 * Math.PI);
  const wind = (Math.round(turn * winds) + winds) % winds;
  return ALL_WINDS[wind * (16 / winds)] ?? "N";
}

/** Where no place is near: the ocean, by its usual limits. */
export function oceanAt({ latitude, longitude }: Place): string {
  if (latitude <= -60) return "Antarctic region";
  if (latitude >= 70) return "Arctic region";
  const half = latitude < 0 ? "South" : "North";
  // From Cape Horn to the Cape of Good Hope, thence to Tasmania.
  if (longitude >= -68 && longitude < 20) return `${half} Atlantic Ocean`;
  if (longitude >= 20 && longitude < 147 && latitude < 30) return "Indian Ocean";
  return `${half} Pacific Ocean`;
}

/** An area whose places are known, or still to be fetched. */
export type KnownArea = { readonly box: Bounds; readonly places: readonly NamedPlace[] | null };

/** The nearest place and how far it is; or the area that must be known first; or no place so near. */
export type Nearest =
  | { readonly kind: "place"; readonly place: NamedPlace; readonly km: number }
  | { readonly kind: "area"; readonly index: number }
  | { readonly kind: "none" };

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
function distanceToBox({ latitude, longitude }: Place, box: Bounds): number {
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
function distanceToMeridian(latitude: number, turn: number, { south, north }: Bounds): number {
  const here = { latitude, longitude: turn };
  const [sine, cosine] = [Math.sin(latitude * RADIAN), Math.cos(latitude * RADIAN)];
  const crest = Math.atan2(sine, cosine * Math.cos(turn * RADIAN)) / RADIAN;
  const nearest = [south, north, Math.max(south, Math.min(north, crest))];
  return Math.min(...nearest.map((there) => distanceKm(here, { latitude: there, longitude: 0 })));
}

/** A place with its name; degrees, longitude −180 to 180. */
export type NamedPlace = readonly [name: string, latitude: number, longitude: number];

export type PlaceArea = { readonly box: Bounds; readonly places: readonly NamedPlace[] };

/**
 * Parts places into areas of at most so many, by halves along the longer side of their box: a page
 * fetches those areas alone whose events it names, all of them alike in size.
 */
export function placeAreas(places: readonly NamedPlace[], most: number): readonly PlaceArea[] {
  if (places.length === 0) return [];
  const box = boxOf(places);
  if (places.length <= most) return [{ box, places }];
  const by = box.north - box.south > box.east - box.west ? 1 : 2;
  const inOrder = places.toSorted((a, b) => a[by] - b[by]);
  const middle = places.length >> 1;
  return [
    ...placeAreas(inOrder.slice(0, middle), most),
    ...placeAreas(inOrder.slice(middle), most),
  ];
}

function boxOf(places: readonly NamedPlace[]): Bounds {
  const latitudes = places.map(([, latitude]) => latitude);
  const longitudes = places.map(([, , longitude]) => longitude);
  return {
    south: Math.min(...latitudes),
    west: Math.min(...longitudes),
    north: Math.max(...latitudes),
    east: Math.max(...longitudes),
  };
}
