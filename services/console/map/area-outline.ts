import type { Position } from "#contracts/geometry/shape.ts";
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

/** Pieces of a polygon's edge reach so far at most: to the eye a curve on the map, and less than half the world. Degrees. */
const PIECE_UP = 1;
const PIECE_ALONG = 90;

/** The edges of a polygon's ring, which are straight in degrees and therefore curves on the map. */
export function ringOutline(ring: readonly Position[]): Line {
  return ring.flatMap(([longitude, latitude], i) => {
    const [toLongitude, toLatitude] = ring[i + 1] ?? [longitude, latitude];
    const [along, up] = [toLongitude - longitude, toLatitude - latitude];
    const pieces = Math.max(
      1,
      Math.ceil(Math.abs(along) / PIECE_ALONG),
      along === 0 ? 1 : Math.ceil(Math.abs(up) / PIECE_UP),
    );
    return Array.from({ length: pieces }, (_, piece) => ({
      longitude: longitude + (along * piece) / pieces,
      latitude: latitude + (up * piece) / pieces,
    }));
  });
}
