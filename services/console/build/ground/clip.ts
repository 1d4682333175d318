import type { Point } from "./shapefile.ts";

/** Degrees. */
export type Box = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
};

/** Of a point, what is compared with a side of the box, and from which side of it the box lies. */
type Side = { readonly axis: 0 | 1; readonly limit: number; readonly sign: 1 | -1 };

function sidesOf({ west, south, east, north }: Box): readonly Side[] {
  return [
    { axis: 0, limit: west, sign: 1 },
    { axis: 0, limit: east, sign: -1 },
    { axis: 1, limit: south, sign: 1 },
    { axis: 1, limit: north, sign: -1 },
  ];
}

/** The part of a ring inside a box, closed along its sides (Sutherland and Hodgman, 1974); empty without any. */
export function clippedRing(ring: readonly Point[], box: Box): readonly Point[] {
  let points = ring.slice(0, -1);
  for (const side of sidesOf(box)) {
    points = points.flatMap((point, i) => {
      const before = points.at(i - 1) ?? point;
      const [isIn, wasIn] = [isInside(point, side), isInside(before, side)];
      const crossing = isIn === wasIn ? [] : [crossingOf(before, point, side)];
      return isIn ? [...crossing, point] : crossing;
    });
  }
  const first = points[0];
  return first ? [...points, first] : [];
}

/** The pieces of a line inside a box. */
export function clippedLine(line: readonly Point[], box: Box): readonly (readonly Point[])[] {
  let pieces: readonly (readonly Point[])[] = [line];
  for (const side of sidesOf(box)) pieces = pieces.flatMap((piece) => cut(piece, side));
  return pieces;
}

function cut(line: readonly Point[], side: Side): Point[][] {
  const pieces: Point[][] = [];
  let piece: Point[] = [];
  for (const [i, point] of line.entries()) {
    const before = line[i - 1] ?? point;
    const isIn = isInside(point, side);
    if (isIn !== isInside(before, side)) piece.push(crossingOf(before, point, side));
    if (isIn) piece.push(point);
    else if (piece.length > 0) {
      pieces.push(piece);
      piece = [];
    }
  }
  return piece.length > 1 ? [...pieces, piece] : pieces;
}

function isInside(point: Point, { axis, limit, sign }: Side): boolean {
  return (point[axis] - limit) * sign >= 0;
}

function crossingOf(from: Point, to: Point, { axis, limit }: Side): Point {
  const share = (limit - from[axis]) / (to[axis] - from[axis]);
  const other = from[1 - axis] ?? 0;
  const at = other + share * ((to[1 - axis] ?? 0) - other);
  return axis === 0 ? [limit, at] : [at, limit];
}
