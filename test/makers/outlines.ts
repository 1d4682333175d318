import { readFile } from "node:fs/promises";
import type { Step } from "./encode-line.ts";

/** Longitude and latitude, degrees. */
export type Point = readonly [longitude: number, latitude: number];

const FILE_HEADER = 100;
const RECORD_HEADER = 8;
const POLYLINE = 3;
const POLYGON = 5;
/** From a record's beginning to its number of parts: kind and box. */
const PARTS = 36;

/** The parts of all lines and the rings of all areas of a shapefile (ESRI Shapefile Technical Description, 1998). */
export async function readShapes(path: string): Promise<readonly (readonly Point[])[]> {
  const bytes = await readFile(path);
  const lines: Point[][] = [];
  for (let at = FILE_HEADER; at < bytes.length; ) {
    const record = at + RECORD_HEADER;
    at = record + 2 * bytes.readInt32BE(at + 4);
    const kind = bytes.readInt32LE(record);
    if (kind !== POLYLINE && kind !== POLYGON) continue;
    const parts = bytes.readInt32LE(record + PARTS);
    const points = bytes.readInt32LE(record + PARTS + 4);
    const starts = Array.from({ length: parts }, (_, i) =>
      bytes.readInt32LE(record + PARTS + 8 + 4 * i),
    );
    const first = record + PARTS + 8 + 4 * parts;
    for (const [i, start] of starts.entries()) {
      const end = starts[i + 1] ?? points;
      lines.push(
        Array.from({ length: end - start }, (_, n) => {
          const point = first + 16 * (start + n);
          return [bytes.readDoubleLE(point), bytes.readDoubleLE(point + 8)] as const;
        }),
      );
    }
  }
  return lines;
}

type Topology = {
  readonly transform: { readonly scale: Point; readonly translate: Point };
  readonly arcs: readonly (readonly Point[])[];
  readonly objects: {
    readonly rivers: {
      readonly geometries: readonly {
        readonly type: string;
        readonly arcs: readonly number[] | readonly (readonly number[])[];
      }[];
    };
  };
};

/** The rivers of a TopoJSON file, a line for each. */
export function readRivers({ transform, arcs, objects }: Topology): readonly (readonly Point[])[] {
  const { scale, translate } = transform;
  const decoded = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]): Point => {
      [x, y] = [x + dx, y + dy];
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
  });
  // A negative index is that of an arc which runs the other way: −1 is the first one.
  const arcOf = (index: number) =>
    index < 0 ? (decoded[-1 - index] ?? []).toReversed() : (decoded[index] ?? []);
  return objects.rivers.geometries.flatMap(({ arcs: indexes }) =>
    indexes.flatMap((index) =>
      typeof index === "number" ? [arcOf(index)] : index.map((one) => arcOf(one)),
    ),
  );
}

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

/** Leaves out points that lie within `tolerance` steps of the line between the others (Douglas and Peucker, 1973). */
export function simplified(points: readonly Step[], tolerance: number): readonly Step[] {
  const keep = new Uint8Array(points.length);
  keep[0] = 1;
  keep[points.length - 1] = 1;
  const stretches: [number, number][] = [[0, points.length - 1]];
  for (let stretch = stretches.pop(); stretch; stretch = stretches.pop()) {
    const [from, to] = stretch;
    let [farthest, most] = [-1, tolerance];
    for (let i = from + 1; i < to; i++) {
      const far = distance(points[i], points[from], points[to]);
      if (far > most) [farthest, most] = [i, far];
    }
    if (farthest < 0) continue;
    keep[farthest] = 1;
    stretches.push([from, farthest], [farthest, to]);
  }
  return points.filter((_, i) => keep[i] === 1);
}

/** From a point to the stretch between two others, steps. */
function distance(at: Step = [0, 0], from: Step = at, to: Step = at): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = dx * dx + dy * dy;
  const along = ((at[0] - from[0]) * dx + (at[1] - from[1]) * dy) / (length || 1);
  const share = Math.max(0, Math.min(1, along));
  return Math.hypot(at[0] - from[0] - share * dx, at[1] - from[1] - share * dy);
}
