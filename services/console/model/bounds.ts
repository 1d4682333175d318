import type { MapView } from "./map-view.ts";

/** A box; `west` > `east` where it crosses the date line. Degrees. */
export type Bounds = {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
};

/** Bins of longitude among which the widest empty stretch is sought. */
const BINS = 3_600;

/**
 * The smallest box around the events: over the date line where the widest stretch of longitudes
 * without events lies elsewhere. Null without events.
 */
export function boundsOf(
  latitude: Float32Array,
  longitude: Float32Array,
  indexes: Uint32Array | null,
): Bounds | null {
  const events = indexes ? indexes.length : latitude.length;
  if (events === 0) return null;
  const filled = new Uint8Array(BINS);
  let south = 90;
  let north = -90;
  for (let n = 0; n < events; n++) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    const at = latitude[i] ?? 0;
    if (at < south) south = at;
    if (at > north) north = at;
    filled[binOf(longitude[i] ?? 0)] = 1;
  }
  const middle = middleOfGap(filled);
  if (middle === null) return { south, north, west: -180, east: 180 };
  let west = 360;
  let east = -1;
  for (let n = 0; n < events; n++) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    const from = turned((longitude[i] ?? 0) - middle);
    if (from < west) west = from;
    if (from > east) east = from;
  }
  return { south, north, west: within(west + middle), east: within(east + middle) };
}

/** Leaflet's zoom at which a map of ordinary size shows about a degree around a place. */
export const DEGREE_ZOOM = 8;

/**
 * Where a map starts that is to show a box with its surroundings: null for a box of a degree and
 * more, to which a map can be fitted. Fitted to less, it would show neither land nor names.
 */
export function surroundingsOf(box: Bounds): MapView | null {
  const width = widthOf(box);
  if (width >= 1 || box.north - box.south >= 1) return null;
  return {
    zoom: DEGREE_ZOOM,
    latitude: (box.south + box.north) / 2,
    longitude: within(box.west + width / 2),
  };
}

/** A box's width in degrees of longitude. */
export function widthOf({ west, east }: Bounds): number {
  return west <= east ? east - west : east - west + 360;
}

/** The longitude plus whole turns that is nearest to another. */
export function nearestTurn(longitude: number, other: number): number {
  return longitude + 360 * Math.round((other - longitude) / 360);
}

function binOf(longitude: number): number {
  return Math.floor(turned(longitude) * (BINS / 360)) % BINS;
}

/** The longitude in the middle of the longest run of empty bins, around the circle; null without any. */
function middleOfGap(filled: Uint8Array): number | null {
  let best = { length: 0, end: 0 };
  let run = 0;
  for (let i = 0; i < 2 * BINS; i++) {
    run = filled[i % BINS] ? 0 : Math.min(run + 1, BINS);
    if (run > best.length) best = { length: run, end: i + 1 };
  }
  if (best.length === 0) return null;
  return ((best.end - best.length / 2) * 360) / BINS;
}

/** 0 ≤ degrees < 360. */
function turned(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}

/** −180 ≤ degrees ≤ 180. */
function within(degrees: number): number {
  const positive = turned(degrees);
  return positive > 180 ? positive - 360 : positive;
}
