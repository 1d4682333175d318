import { type Edges, turnedLongitude, vertexOf } from "./edges.ts";
import { linesBelow } from "./grid-lines.ts";
import { orientation, type Point } from "./orientation.ts";

/**
 * The parts whose edges cross a row of points between the one before and each of them, going east. Null where one of
 * the points is on an edge.
 */
export function crossingsOfRow(
  edges: Edges,
  ofRow: readonly number[],
  longitudes: Float64Array,
  latitude: number,
): ReadonlyMap<number, readonly number[]> | null {
  const crossings = new Map<number, number[]>();
  for (const edge of ofRow) {
    const [a, b] = [vertexOf(edges, edge), vertexOf(edges, edge + 1)];
    // A vertex at the latitude could be one of the points.
    if (a.y === latitude || b.y === latitude) return null;
    if (a.y > latitude === b.y > latitude) continue;
    const point = firstPointBehind(edges, edge, [a, b], longitudes, latitude);
    if (point === null) return null;
    const parts = crossings.get(point);
    const part = edges.parts[edge] ?? 0;
    if (parts === undefined) crossings.set(point, [part]);
    else parts.push(part);
  }
  return crossings;
}

/** The first of the points that lies east of an edge. */
function firstPointBehind(
  edges: Edges,
  edge: number,
  [a, b]: readonly [Point, Point],
  longitudes: Float64Array,
  latitude: number,
): number | null {
  const share = (latitude - a.y) / (b.y - a.y);
  const [west, east] = [turnedLongitude(edges, edge), turnedLongitude(edges, edge + 1)];
  let point = linesBelow(longitudes, west + share * (east - west));
  const upwards = a.y < b.y ? 1 : -1;
  const sideOf = (i: number) =>
    upwards * orientation(a, b, { x: longitudes[i] ?? Number.NaN, turns: 0, y: latitude });
  while (point < longitudes.length) {
    const side = sideOf(point);
    if (side === 0) return null;
    if (side < 0) break;
    point += 1;
  }
  while (point > 0) {
    const side = sideOf(point - 1);
    if (side === 0) return null;
    if (side > 0) break;
    point -= 1;
  }
  return point;
}
