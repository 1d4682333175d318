import { xOf, yOf } from "../../drawing/mercator.ts";
import { type Bounds, widthOf } from "../../model/bounds.ts";

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
