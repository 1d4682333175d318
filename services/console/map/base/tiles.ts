import { xOf, yOf } from "../../drawing/mercator.ts";
import { type Bounds, widthOf } from "../../model/bounds.ts";

/** How a resolution of the ground is cut: each tile is fetched when a map shows a part of it. */
export type Tiling = {
  readonly name: "world" | "middle" | "near" | "fine";
  /** At closer zooms its land looks cut out with scissors. */
  readonly toZoom: number;
  /** Sides of a tile, degrees. */
  readonly width: number;
  readonly height: number;
};

/** 1 : 110 million. */
export const WORLD: Tiling = { name: "world", toZoom: 3, width: 360, height: 180 };
/** 1 : 50 million. */
export const MIDDLE: Tiling = { name: "middle", toZoom: 5.5, width: 30, height: 30 };
/** 1 : 10 million, with fewer points. */
export const NEAR: Tiling = { name: "near", toZoom: 7, width: 15, height: 15 };
/** 1 : 10 million. */
export const FINE: Tiling = { name: "fine", toZoom: Infinity, width: 15, height: 15 };
export const TILINGS = [WORLD, MIDDLE, NEAR, FINE] as const;

/** The corners of all tiles, degrees. */
export function* cornersOf({ width, height }: Tiling): Iterable<readonly [number, number]> {
  for (let west = -180; west < 180; west += width) {
    for (let south = -90; south < 90; south += height) yield [west, south];
  }
}

/** A tile's name by its south-western corner, for example "120e-45s". */
export function tileName(west: number, south: number): string {
  const longitude = `${Math.abs(west)}${west < 0 ? "w" : "e"}`;
  return `${longitude}-${Math.abs(south)}${south < 0 ? "s" : "n"}`;
}

export function tileAt({ width, height }: Tiling, latitude: number, longitude: number): string {
  const west = Math.floor((longitude + 180) / width) * width - 180;
  const south = Math.floor((latitude + 90) / height) * height - 90;
  const wrapped = west >= 180 ? -180 : west < -180 ? 180 - width : west;
  return tileName(wrapped, Math.min(90 - height, Math.max(-90, south)));
}

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

/** A part of the square picture of the relief; places and sizes as shares of its sides. */
export type ReliefTile = {
  readonly name: string;
  readonly left: number;
  readonly top: number;
  readonly size: number;
};

/** In how many rows and columns the picture is cut for closer maps. */
export const RELIEF_ROWS = 4;
/** Up to here one picture of the whole world, with half the pixels, is enough. */
const WORLD_UP_TO_ZOOM = 4.2;
/** The relief is too coarse for closer maps. */
export const RELIEF_UP_TO_ZOOM = 6.5;

export const RELIEF_WORLD: ReliefTile = { name: "world", left: 0, top: 0, size: 1 };

export function reliefTile(column: number, row: number): ReliefTile {
  const size = 1 / RELIEF_ROWS;
  return { name: `${column}-${row}`, left: column * size, top: row * size, size };
}

/** The parts of the relief that a map shows. */
export function reliefTilesIn(zoom: number, box: Bounds): readonly ReliefTile[] {
  if (zoom >= RELIEF_UP_TO_ZOOM) return [];
  if (zoom < WORLD_UP_TO_ZOOM) return [RELIEF_WORLD];
  const last = RELIEF_ROWS - 1;
  const rowOf = (latitude: number) => Math.min(last, Math.floor(yOf(latitude) * RELIEF_ROWS));
  const start = xOf(box.west);
  const from = Math.floor(start * RELIEF_ROWS);
  const to = Math.floor((start + widthOf(box) / 360) * RELIEF_ROWS);
  const tiles = new Map<string, ReliefTile>();
  for (let column = from; column <= to; column++) {
    for (let row = rowOf(box.north); row <= rowOf(box.south); row++) {
      const tile = reliefTile(column % RELIEF_ROWS, row);
      tiles.set(tile.name, tile);
    }
  }
  return [...tiles.values()];
}

/** A place with its name, in units of the world's width (mercator.ts). */
export type Place = {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** The zoom from which on its name has room beside those of larger places. */
  readonly zoom: number;
};

export type PlaceLine = readonly [name: string, latitude: number, longitude: number, zoom: number];

/** The places of a file that `test/makers/places.ts` has made. */
export function placesOf(lines: readonly PlaceLine[]): readonly Place[] {
  return lines.map(([name, lat, lon, zoom]) => ({ name, x: xOf(lon), y: yOf(lat), zoom }));
}
