import { TURN } from "./globe.ts";
import { extentOf, type Position, type Ring, type Shape } from "./shape.ts";

/**
 * All vertices of a shape, ring after ring, each ring closed. An edge has the number of its first vertex. A line is a
 * ring to its end and back, a point a ring of one edge: no place is in them, places are on their edges.
 */
export type Edges = {
  /** As the shape has them. */
  readonly longitudes: Float64Array;
  readonly latitudes: Float64Array;
  /** Whole turns by which each vertex is moved, so that the shape is as narrow as can be. */
  readonly turns: Int8Array;
  /** The polygon, line or point that each vertex is of. */
  readonly parts: Int32Array;
  /** Whether a vertex begins an edge: it is not the last of its ring. */
  readonly begins: Uint8Array;
};

export function edgesOf({ polygons, lines, points }: Shape): Edges {
  const parts: (readonly Ring[])[] = [
    ...polygons,
    ...lines.map((line) => [[...line, ...line.toReversed()]]),
    ...points.map((point) => [[point, point]]),
  ].map((rings) => rings.map(withoutRepetitions));
  const turns = extentOf(parts.map((rings) => rings.flat()))?.turns;
  const vertices = parts.flatMap((rings, part) =>
    rings.flatMap((ring) =>
      ring.map((position, i) => ({ position, part, begins: i < ring.length - 1 })),
    ),
  );
  return {
    longitudes: Float64Array.from(vertices, ({ position: [longitude] }) => longitude),
    latitudes: Float64Array.from(vertices, ({ position: [, latitude] }) => latitude),
    turns: Int8Array.from(vertices, ({ part }) => turns?.[part] ?? 0),
    parts: Int32Array.from(vertices, ({ part }) => part),
    begins: Uint8Array.from(vertices, ({ begins }) => Number(begins)),
  };
}

/** As far as the shape is moved, in a double. */
export function turnedLongitude({ longitudes, turns }: Edges, vertex: number): number {
  return (longitudes[vertex] ?? Number.NaN) + TURN * (turns[vertex] ?? 0);
}

export function vertexOf({ longitudes, turns, latitudes }: Edges, vertex: number): Point {
  return {
    x: longitudes[vertex] ?? Number.NaN,
    turns: turns[vertex] ?? 0,
    y: latitudes[vertex] ?? Number.NaN,
  };
}

/** Two at least, where all positions are one. */
function withoutRepetitions(ring: Ring): Ring {
  const isNew = ([x, y]: Position, i: number): boolean => {
    const before = ring[i - 1];
    return before === undefined || before[0] !== x || before[1] !== y;
  };
  const kept = ring.filter(isNew);
  return kept.length > 1 ? kept : [...kept, ...kept];
}

/** A place in the plane: its longitude is so many turns further east than the number, which means its shortest decimal. */
export type Point = { readonly x: number; readonly turns: number; readonly y: number };

/**
 * Of the sums of distances that a determinant is made of: above all errors of its doubles, for longitudes within
 * three turns (2⁻⁴¹ for each difference, of which the half is that of adding turns).
 */
export const ORIENTATION_ERROR = 2 ** -39;

/**
 * On which side of the line from one point to another a third lies: positive on the left, negative on the right, 0
 * on it, exactly in the decimals.
 */
export function orientation(a: Point, b: Point, p: Point): number {
  const [dx, dy] = [b.x - a.x + TURN * (b.turns - a.turns), b.y - a.y];
  const [px, py] = [p.x - a.x + TURN * (p.turns - a.turns), p.y - a.y];
  const determinant = dx * py - dy * px;
  const sum = Math.abs(dx) + Math.abs(dy) + Math.abs(px) + Math.abs(py);
  return Math.abs(determinant) > ORIENTATION_ERROR * sum ? determinant : exactly(a, b, p);
}

function exactly(a: Point, b: Point, p: Point): number {
  const points = [a, b, p];
  const numbers = points.flatMap(({ x, y }) => [decimalOf(x), decimalOf(y)]);
  const places = Math.max(0, ...numbers.map((number) => number.places));
  const scaled = numbers.map(({ digits, places: own }) => digits * 10n ** BigInt(places - own));
  const turn = BigInt(TURN) * 10n ** BigInt(places);
  const [ax, ay, bx, by, px, py] = scaled.map((number, i) =>
    i % 2 === 0 ? number + turn * BigInt(points[i / 2]?.turns ?? 0) : number,
  ) as [bigint, bigint, bigint, bigint, bigint, bigint];
  const determinant = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
  return determinant > 0n ? 1 : determinant < 0n ? -1 : 0;
}

function decimalOf(number: number): { readonly digits: bigint; readonly places: number } {
  const [mantissa = "", exponent = "0"] = String(number).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}
