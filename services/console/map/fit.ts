import { TILE_SIZE, xOf, yOf } from "../drawing/mercator.ts";
import { type Bounds, type MapView, widthOf } from "../model/bounds.ts";

type Size = { readonly width: number; readonly height: number };

/** Beside what a map is fitted to, pixels of the screen: room for discs at the edge. */
const PADDING = 28;
/** A single place is shown with its surroundings: some two degrees. */
const PLACE_ZOOM = 9;
const MAX_ZOOM = 13;
/** A box as wide as this is as good as the world, which is not shown twice. Degrees. */
const WORLD_WIDTH = 270;
/** Of the world what lies farther north or south is left out, where the map is larger. Degrees. */
const WORLD_NORTH = 75;
const WORLD_SOUTH = -60;

/** What a map without any place to look at shows. */
const WORLD: Bounds = { south: WORLD_SOUTH, north: WORLD_NORTH, west: -180, east: 180 };

/** The view that a box fills, or the world without one, as exactly as the map's sides allow. */
export function viewFilledBy(bounds: Bounds | null, { width, height }: Size): MapView {
  const box = bounds ?? WORLD;
  const wide = widthOf(box);
  const isWorld = wide >= WORLD_WIDTH;
  const top = yOf(isWorld ? Math.min(WORLD_NORTH, box.north) : box.north);
  const bottom = yOf(isWorld ? Math.max(WORLD_SOUTH, box.south) : box.south);
  const across = Math.max(1, width - 2 * PADDING) / ((wide / 360) * TILE_SIZE);
  const up = Math.max(1, height - 2 * PADDING) / ((bottom - top) * TILE_SIZE);
  const closest = wide === 0 && box.north === box.south ? PLACE_ZOOM : MAX_ZOOM;
  const least = isWorld ? Math.log2(width / TILE_SIZE) : 0;
  const middle = xOf(box.west) + wide / 720;
  return {
    zoom: Math.max(least, Math.min(closest, Math.log2(Math.min(across, up)))),
    latitude: latitudeOf((top + bottom) / 2),
    longitude: ((((middle % 1) + 1) % 1) - 0.5) * 360,
  };
}

function latitudeOf(y: number): number {
  return (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI;
}
