import { type FragmentSqlToken, sql } from "slonik";
import type { ShapeIndex } from "#contracts/geometry/shape-index.ts";
import { type HalfPlanes, halfPlanesOf } from "./half-planes.ts";

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
