import { TURN } from "../seismic-event/longitude.ts";
import { extentOf } from "./extent.ts";
import type { Point } from "./orientation.ts";
import type { Position, Ring, Shape } from "./shape.ts";

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
