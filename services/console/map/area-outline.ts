import { type Bounds, widthOf } from "../model/bounds.ts";
import type { Line } from "./shape-layer.ts";

/** Pieces of an edge, each less than half the world long. */
const PIECES = 4;

/** The edges of a box, along its parallels and meridians; the last place is the first. */
export function outlineOf(box: Bounds): Line {
  const { south, north, west } = box;
  const along = Array.from(
    { length: PIECES + 1 },
    (_, piece) => west + (widthOf(box) * piece) / PIECES,
  );
  return [
    ...along.map((longitude) => ({ latitude: south, longitude })),
    ...along.toReversed().map((longitude) => ({ latitude: north, longitude })),
    { latitude: south, longitude: west },
  ];
}
