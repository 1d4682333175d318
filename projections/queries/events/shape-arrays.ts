import { type FragmentSqlToken, sql } from "slonik";
import { type Edges, turnedLongitude } from "#contracts/geometry/edges.ts";
import { MARGIN } from "#contracts/geometry/grid-lines.ts";
import type { ShapeIndex } from "#contracts/geometry/shape-index.ts";

/**
 * Mixed cells that one edge divides: a x + b y + c is positive inside and negative outside, x and y from the grid's
 * south-western corner. All 0 in other cells.
 */
type HalfPlanes = {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
};

/** Of fewer cells they take longer to write than they save. */
const FEW_CELLS = 64;

/** Null where fewer than half of the cells are such ones, or there are few. */
function halfPlanesOf(index: ShapeIndex): HalfPlanes | null {
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

/** The arrays of an index for SQL, which counts from 1. */
export type ShapeArrays = { readonly [N in keyof typeof ARRAYS]: FragmentSqlToken } & {
  readonly halfPlanes: { readonly [N in keyof HalfPlanes]: FragmentSqlToken } | null;
};

const ARRAYS = {
  meridians: ({ meridians }: ShapeIndex) => doubles(meridians),
  parallels: ({ parallels }: ShapeIndex) => doubles(parallels),
  pointLongitudes: ({ pointLongitudes }: ShapeIndex) => doubles(pointLongitudes),
  pointLatitudes: ({ pointLatitudes }: ShapeIndex) => doubles(pointLatitudes),
  /** As doubles, among which PostgreSQL finds a place ten times as fast as among integers. */
  mixed: ({ mixed }: ShapeIndex) => doubles(mixed),
  /** What `read_model.is_in_cell` takes of each mixed cell, one behind the other, and where each begins. */
  cells: (index: ShapeIndex) => doubles(cellsOf(index).numbers),
  starts: (index: ShapeIndex) => integers(cellsOf(index).starts),
  /** A digit for each: a text of ASCII is a bytea as it stands. */
  states: ({ states }: ShapeIndex) => sql.fragment`${states.join("")}::bytea`,
} as const;

/** What PostgreSQL reads of a state's digit. */
export function digitOf(state: number): number {
  return state + "0".charCodeAt(0);
}

const SAME_PART = 0;
const NEXT_PART = 1;
const AROUND_POINT = 2;

const kept = new WeakMap<ShapeIndex, ShapeArrays>();

/** Made once for an index: they are long texts. */
export function shapeArrays(index: ShapeIndex): ShapeArrays {
  const present = kept.get(index) ?? arraysOf(index);
  kept.set(index, present);
  return present;
}

function arraysOf(index: ShapeIndex): ShapeArrays {
  const arrays = Object.entries(ARRAYS).map(([name, array]) => [name, array(index)]);
  const planes = halfPlanesOf(index);
  const halfPlanes = planes && {
    a: doubles(planes.a),
    b: doubles(planes.b),
    c: doubles(planes.c),
  };
  return { ...Object.fromEntries(arrays), halfPlanes } as ShapeArrays;
}

function cellsOf(index: ShapeIndex): { readonly numbers: number[]; readonly starts: number[] } {
  const [numbers, starts]: [number[], number[]] = [[], [0]];
  for (const cell of index.mixed.keys()) {
    addCell(index, index.entries.subarray(index.starts[cell], index.starts[cell + 1]), numbers);
    starts.push(numbers.length);
  }
  return { numbers, starts };
}

function addCell(index: ShapeIndex, entries: Int32Array, numbers: number[]): void {
  const { slots } = index;
  const { longitudes, latitudes, turns } = index.edges;
  const around = new Set(entries.filter((entry) => entry < 0).map((entry) => -1 - entry));
  let [slot, end] = [-1, -1];
  const addVertex = (vertex: number): void => {
    numbers.push(longitudes[vertex] ?? 0, latitudes[vertex] ?? 0);
  };
  for (const entry of entries) {
    if (entry < 0) continue;
    const edge = Math.floor(entry / slots / 2);
    const isNext = entry % slots !== slot;
    if (isNext || edge !== end) {
      slot = entry % slots;
      const kind = isNext ? (around.has(slot) ? AROUND_POINT : NEXT_PART) : SAME_PART;
      numbers.push(Number.NaN, 16 + 4 * (turns[edge] ?? 0) + kind);
      addVertex(edge);
    }
    addVertex(edge + 1);
    end = edge + 1;
  }
}

function doubles(numbers: Float64Array | Int32Array | readonly number[]): FragmentSqlToken {
  return sql.fragment`${`{${numbers.join(",")}}`}::double precision[]`;
}

function integers(numbers: readonly number[]): FragmentSqlToken {
  return sql.fragment`${`{${numbers.join(",")}}`}::int[]`;
}
