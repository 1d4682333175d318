import { type Edges, turnedLongitude } from "#contracts/geometry/edges.ts";
import { MARGIN } from "#contracts/geometry/grid-lines.ts";
import type { ShapeIndex } from "#contracts/geometry/shape-index.ts";

/**
 * Mixed cells that one edge divides: a x + b y + c is positive inside and negative outside, x and y from the grid's
 * south-western corner. All 0 in other cells.
 */
export type HalfPlanes = {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
};

/** Of fewer cells they take longer to write than they save. */
const FEW_CELLS = 64;

/** Null where fewer than half of the cells are such ones, or there are few. */
export function halfPlanesOf(index: ShapeIndex): HalfPlanes | null {
  const { mixed, starts, entries } = index;
  if (mixed.length < FEW_CELLS) return null;
  const planes = {
    a: new Float64Array(mixed.length),
    b: new Float64Array(mixed.length),
    c: new Float64Array(mixed.length),
  };
  let found = 0;
  for (const [i, cell] of mixed.entries()) {
    const plane = planeOf(index, cell, entries.subarray(starts[i], starts[i + 1]));
    if (plane === null) continue;
    found += 1;
    [planes.a[i], planes.b[i], planes.c[i]] = plane;
  }
  return found > mixed.length / 2 ? planes : null;
}

function planeOf(
  { edges, slots, meridians, parallels }: ShapeIndex,
  cell: number,
  entries: Int32Array,
): readonly [a: number, b: number, c: number] | null {
  const [entry = -1] = entries.slice(-1);
  const isAround = entries.length === 2 && (entries[0] ?? 0) < 0;
  if (entry < 0 || (entries.length !== 1 && !isAround)) return null;
  const edge = Math.floor(entry / slots / 2);
  const width = meridians.length + 1;
  const isNear = (vertex: number) =>
    isBeside(turnedLongitude(edges, vertex), meridians, cell % width) &&
    isBeside(edges.latitudes[vertex] ?? 0, parallels, Math.floor(cell / width));
  // An edge that ends here does not divide the cell.
  if (isNear(edge) || isNear(edge + 1)) return null;
  const isLeft = Math.floor(entry / slots) % 2 === 1;
  return lineOf(edges, edge, meridians[0] ?? 0, parallels[0] ?? 0, isLeft === isAround ? 1 : -1);
}

function isBeside(coordinate: number, lines: Float64Array, number: number): boolean {
  const [low = 0, high = 0] = lines.subarray(number - 1, number + 1);
  return coordinate > low - 10 * MARGIN && coordinate < high + 10 * MARGIN;
}

function lineOf(edges: Edges, edge: number, west: number, south: number, sign: number) {
  const x = turnedLongitude(edges, edge) - west;
  const y = (edges.latitudes[edge] ?? 0) - south;
  const dx = turnedLongitude(edges, edge + 1) - west - x;
  const dy = (edges.latitudes[edge + 1] ?? 0) - south - y;
  return [-sign * dy, sign * dx, sign * (dy * x - dx * y)] as const;
}
