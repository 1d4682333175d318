import type { Bounds } from "../../model/bounds.ts";
import { widthOf } from "../../model/bounds.ts";

/** How a resolution of the ground is cut: each tile is fetched when a map shows a part of it. */
export type Tiling = {
  readonly folder: "middle" | "fine";
  /** Sides of a tile, degrees. */
  readonly width: number;
  readonly height: number;
};

/** 1 : 50 million. */
export const MIDDLE: Tiling = { folder: "middle", width: 90, height: 90 };
/** 1 : 10 million. */
export const FINE: Tiling = { folder: "fine", width: 60, height: 45 };

/** A tile's name by its south-western corner, for example "120e-45s". */
export function tileName(west: number, south: number): string {
  const longitude = `${Math.abs(west)}${west < 0 ? "w" : "e"}`;
  return `${longitude}-${Math.abs(south)}${south < 0 ? "s" : "n"}`;
}

/** The tile of a place. */
export function tileAt({ width, height }: Tiling, latitude: number, longitude: number): string {
  const west = Math.floor(longitude / width) * width;
  const south = Math.floor(latitude / height) * height;
  const wrapped = west >= 180 ? -180 : west < -180 ? 180 - width : west;
  return tileName(wrapped, Math.min(90 - height, Math.max(-90, south)));
}

/** The tiles that a box touches. */
export function tilesIn(tiling: Tiling, box: Bounds): readonly string[] {
  const tiles = new Set<string>();
  const width = widthOf(box);
  for (let across = 0; ; across += tiling.width) {
    const longitude = box.west + Math.min(across, width);
    for (let up = 0; ; up += tiling.height) {
      const latitude = box.south + Math.min(up, box.north - box.south);
      tiles.add(tileAt(tiling, latitude, longitude > 180 ? longitude - 360 : longitude));
      if (up >= box.north - box.south) break;
    }
    if (across >= width) break;
  }
  return [...tiles];
}
