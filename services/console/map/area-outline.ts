import { type Bounds, widthOf } from "../model/bounds.ts";
import type { Line } from "./line-layer.ts";

/** Pieces of an edge, each less than half the world long. */
const PIECES = 4;

/** The edges of a box, along its parallels and meridians. */
export function outlineOf(box: Bounds): readonly Line[] {
  const { south, north, west } = box;
  const at = (piece: number) => west + (widthOf(box) * piece) / PIECES;
  const along = (latitude: number): Line[] =>
    Array.from({ length: PIECES }, (_, piece) => [
      { latitude, longitude: at(piece) },
      { latitude, longitude: at(piece + 1) },
    ]);
  const across = (longitude: number): Line => [
    { latitude: south, longitude },
    { latitude: north, longitude },
  ];
  return [...along(south), ...along(north), across(west), across(at(PIECES))];
}
