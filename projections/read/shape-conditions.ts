import { type FragmentSqlToken, sql } from "slonik";
import { TURN } from "#contracts/geometry/globe.ts";
import type { Shape } from "#contracts/geometry/shape.ts";
import {
  type Edges,
  INSIDE,
  MARGIN,
  ORIENTATION_ERROR,
  OUTSIDE,
  type ShapeIndex,
  shapeIndex,
  turnedLongitude,
  turnsOver,
} from "#contracts/geometry/shape-index.ts";

/** Places that may be in a shape after whole turns, one number of them for each place. */
type Image = {
  readonly turns: FragmentSqlToken;
  readonly longitude: FragmentSqlToken;
  readonly between: FragmentSqlToken;
};

/**
 * Whether a place is in a shape or on its edge: a box, for which there is an index, then a look at the shape's grid,
 * and of few places at the edges in their cell. A pole is in every shape that touches it.
 * @param share of what the shapes of a filter may have together (`shapeIndex`)
 */
export function withinShape(shape: Shape, share = 1): readonly FragmentSqlToken[] {
  const index = shapeIndex(shape, share);
  const arrays = shapeArrays(index);
  const { parallels, edges } = index;
  const latitudes = sql.fragment`latitude between ${parallels[0] ?? 0} and ${parallels.at(-1) ?? 0}`;
  const poles = [-90, 90].filter((pole) => edges.latitudes.includes(pole));
  const [image, ...others] = imagesOf(index).map((one) => [
    one.between,
    isInCell(index, arrays, one),
  ]);
  if (image === undefined) return [sql.fragment`false`];
  if (poles.length === 0 && others.length === 0) return [latitudes, ...image];
  const any = [
    ...[image, ...others].map((conditions) => sql.join(conditions, sql.fragment` and `)),
    ...poles.map((pole) => sql.fragment`latitude = ${pole}`),
  ];
  return [latitudes, sql.fragment`(${sql.join(any, sql.fragment` or `)})`];
}

function imagesOf(index: ShapeIndex): readonly Image[] {
  const [west, east] = [index.meridians[0] ?? 0, index.meridians.at(-1) ?? 0];
  const turns = turnsOver(index);
  const [first = 0, second] = turns;
  if (second === undefined || east - west >= TURN) {
    return turns.map((one) => ({
      ...turnedBy(sql.fragment`${one}::int`, one === 0),
      between: sql.fragment`longitude between ${west - one * TURN} and ${east - one * TURN}`,
    }));
  }
  // After one number of turns or the other, never both: a box across the antimeridian.
  const from = west - first * TURN;
  const either = sql.fragment`(case when longitude >= ${from}::double precision
    then ${first}::int else ${second}::int end)`;
  return [
    {
      ...turnedBy(either, false),
      between: sql.fragment`(longitude >= ${from} or longitude <= ${east - second * TURN})`,
    },
  ];
}

function turnedBy(turns: FragmentSqlToken, isNone: boolean): Pick<Image, "turns" | "longitude"> {
  const longitude = sql.fragment`(longitude + ${TURN}::int * ${turns})`;
  return { turns, longitude: isNone ? sql.fragment`longitude` : longitude };
}

/**
 * The state of the place's cell; the outer rows and columns are outside, so that every place has one. For the planner
 * nearly all places in the box are in the shape, as in a box of that size; of a boolean it would think half of them.
 */
function isInCell(index: ShapeIndex, arrays: ShapeArrays, { turns, longitude }: Image) {
  const column = numberOf(longitude, index.meridians, arrays.meridians, index.isEven);
  const row = numberOf(sql.fragment`latitude`, index.parallels, arrays.parallels, index.isEven);
  const cell = sql.fragment`${row} * ${index.meridians.length + 1}::int + ${column}`;
  const number = sql.fragment`width_bucket((${cell})::double precision, ${arrays.mixed})`;
  const isInMixed = sql.fragment`read_model.is_in_cell(longitude, ${turns}, latitude,
    (${arrays.pointLongitudes})[${column}], (${arrays.pointLatitudes})[${row}],
    (${arrays.cells})[(${arrays.starts})[${number}] + 1 : (${arrays.starts})[${number} + 1]],
    ${errorOf(index)}::double precision)::int`;
  return sql.fragment`case get_byte(${arrays.states}, ${cell})
    when ${digitOf(INSIDE)}::int then 1 when ${digitOf(OUTSIDE)}::int then 0
    else ${byHalfPlane(index, arrays, longitude, number) ?? sql.fragment``} ${isInMixed}
    ${arrays.halfPlanes === null ? sql.fragment`` : sql.fragment`end`} end <> 0`;
}

/** Of a cell that one edge divides, as far as doubles are sure; what else there is comes behind it. */
function byHalfPlane(
  { meridians, parallels }: ShapeIndex,
  { halfPlanes }: ShapeArrays,
  longitude: FragmentSqlToken,
  number: FragmentSqlToken,
): FragmentSqlToken | null {
  if (halfPlanes === null) return null;
  const error = 4 * errorOf({ meridians, parallels });
  return sql.fragment`case width_bucket(
    (${halfPlanes.a})[${number}] * (${longitude} - ${meridians[0] ?? 0}::double precision)
      + (${halfPlanes.b})[${number}] * (latitude - ${parallels[0] ?? 0}::double precision)
      + (${halfPlanes.c})[${number}],
    ${`{${-error},${error}}`}::double precision[]) when 2 then 1 when 0 then 0 else`;
}

/** Of a column or row. PostgreSQL counts even ones faster than it finds others. */
function numberOf(
  coordinate: FragmentSqlToken,
  lines: Float64Array,
  array: FragmentSqlToken,
  isEven: boolean,
): FragmentSqlToken {
  return isEven
    ? sql.fragment`width_bucket(${coordinate}, ${lines[0] ?? 0}::double precision,
        ${lines.at(-1) ?? 0}::double precision, ${lines.length - 1}::int)`
    : sql.fragment`width_bucket(${coordinate}, ${array})`;
}

/** Of determinants whose points lie in the box of the shape. */
function errorOf({ meridians, parallels }: Pick<ShapeIndex, "meridians" | "parallels">): number {
  const lengthOf = (lines: Float64Array) => (lines.at(-1) ?? 0) - (lines[0] ?? 0);
  return 2 * ORIENTATION_ERROR * (lengthOf(meridians) + lengthOf(parallels));
}

/** Of fewer cells they take longer to write than they save. */
const FEW_CELLS = 64;

/**
 * Mixed cells that one edge divides: a x + b y + c is positive inside and negative outside, x and y from the grid's
 * south-western corner. All 0 in other cells. Null where fewer than half of the cells are such ones, or there are few.
 */
function halfPlanesOf(index: ShapeIndex) {
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

const SAME_PART = 0;
const NEXT_PART = 1;
const AROUND_POINT = 2;

/** What PostgreSQL reads of a state's digit. */
function digitOf(state: number): number {
  return state + "0".charCodeAt(0);
}

type ShapeArrays = ReturnType<typeof arraysOf>;

/** The arrays of an index for SQL, which counts from 1. */
function arraysOf(index: ShapeIndex) {
  const cells = cellsOf(index);
  const planes = halfPlanesOf(index);
  return {
    meridians: doubles(index.meridians),
    parallels: doubles(index.parallels),
    pointLongitudes: doubles(index.pointLongitudes),
    pointLatitudes: doubles(index.pointLatitudes),
    /** As doubles, among which PostgreSQL finds a place ten times as fast as among integers. */
    mixed: doubles(index.mixed),
    /** What `read_model.is_in_cell` takes of each mixed cell, one behind the other, and where each begins. */
    cells: doubles(cells.numbers),
    starts: integers(cells.starts),
    /** A digit for each: a text of ASCII is a bytea as it stands. */
    states: sql.fragment`${index.states.join("")}::bytea`,
    halfPlanes: planes && { a: doubles(planes.a), b: doubles(planes.b), c: doubles(planes.c) },
  };
}

const kept = new WeakMap<ShapeIndex, ShapeArrays>();

/** Made once for an index: they are long texts. */
function shapeArrays(index: ShapeIndex): ShapeArrays {
  const present = kept.get(index) ?? arraysOf(index);
  kept.set(index, present);
  return present;
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
