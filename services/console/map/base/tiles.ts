import type { Bounds } from "../../model/bounds.ts";
import { widthOf } from "../../model/bounds.ts";

/** Sides of the tiles of the closest ground, degrees: each is fetched when a map shows a part of it. */
export const TILE_WIDTH = 60;
export const TILE_HEIGHT = 45;

/** A tile's name by its south-western corner, for example "120e-45s". */
export function tileName(west: number, south: number): string {
  const longitude = `${Math.abs(west)}${west < 0 ? "w" : "e"}`;
  return `${longitude}-${Math.abs(south)}${south < 0 ? "s" : "n"}`;
}

/** The tile of a place. */
export function tileAt(latitude: number, longitude: number): string {
  const west = Math.floor(longitude / TILE_WIDTH) * TILE_WIDTH;
  const south = Math.floor(latitude / TILE_HEIGHT) * TILE_HEIGHT;
  const wrapped = west >= 180 ? -180 : west < -180 ? 180 - TILE_WIDTH : west;
  return tileName(wrapped, Math.min(90 - TILE_HEIGHT, Math.max(-90, south)));
}

/** The tiles that a box touches. */
export function tilesIn(box: Bounds): readonly string[] {
  const tiles = new Set<string>();
  const width = widthOf(box);
  for (let across = 0; ; across += TILE_WIDTH) {
    const longitude = box.west + Math.min(across, width);
    for (let up = 0; ; up += TILE_HEIGHT) {
      const latitude = box.south + Math.min(up, box.north - box.south);
      tiles.add(tileAt(latitude, longitude > 180 ? longitude - 360 : longitude));
      if (up >= box.north - box.south) break;
    }
    if (across >= width) break;
  }
  return [...tiles];
}
