/** A grid over a shape, by which it is told which places are in it. */

import { TURN } from "./globe.ts";
import { extentOf, type Position, type Ring, type Shape } from "./shape.ts";

/** Whether a place is in a shape or on its edge: degrees, the longitude between −180 and 180. */
export function containsPlace(index: ShapeIndex, longitude: number, latitude: number): boolean {
  if (Math.abs(latitude) === 90) return index.edges.latitudes.includes(latitude);
  return turnsOver(index).some((turns) =>
    containsPoint(index, { x: longitude, turns, y: latitude }),
  );
}

/** Whole turns after which a longitude may lie between a shape's first and last. */
export function turnsOver({ meridians }: ShapeIndex): readonly number[] {
  const first = Math.ceil(((meridians[0] ?? 0) - TURN / 2) / TURN);
  const last = Math.floor(((meridians.at(-1) ?? 0) + TURN / 2) / TURN);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function containsPoint(index: ShapeIndex, place: Point): boolean {
  const { meridians, parallels, states } = index;
  const column = linesBelow(meridians, place.x + TURN * place.turns);
  const row = linesBelow(parallels, place.y);
  const cell = row * (meridians.length + 1) + column;
  const state = states[cell];
  if (state === OUTSIDE || state === INSIDE) return state === INSIDE;
  const point = {
    x: index.pointLongitudes[column - 1] ?? Number.NaN,
    turns: 0,
    y: index.pointLatitudes[row - 1] ?? Number.NaN,
  };
  return isInMixed(index, linesBelow(index.mixed, cell) - 1, point, place);
}

function isInMixed(index: ShapeIndex, cell: number, point: Point, place: Point): boolean {
  const { edges, starts, entries, slots } = index;
  const around = new Set<number>();
  const toggle = (slot: number): void => {
    if (!around.delete(slot)) around.add(slot);
  };
  for (const entry of entries.subarray(starts[cell], starts[cell + 1])) {
    if (entry < 0) {
      toggle(-1 - entry);
      continue;
    }
    const edge = Math.floor(entry / slots / 2);
    const [a, b] = [vertexOf(edges, edge), vertexOf(edges, edge + 1)];
    const side = orientation(a, b, place);
    if (side === 0) {
      if (isBetween(a, b, place)) return true;
      continue;
    }
    const isLeft = Math.floor(entry / slots) % 2 === 1;
    if (side > 0 === isLeft) continue;
    const isCrossed = orientation(point, place, a) >= 0 !== orientation(point, place, b) >= 0;
    if (isCrossed) toggle(entry % slots);
  }
  return around.size > 0;
}

/** Whether a place on the line of an edge is on the edge. */
function isBetween(a: Point, b: Point, place: Point): boolean {
  if (a.y !== b.y) return Math.min(a.y, b.y) <= place.y && place.y <= Math.max(a.y, b.y);
  return place.y === a.y && eastOf(a, place) * eastOf(b, place) <= 0;
}

/** Positive where a point lies east of another, negative where west, 0 where neither, exactly. */
function eastOf(other: Point, point: Point): number {
  return Math.sign(orientation({ ...other, y: 1 }, { ...other, y: 0 }, point));
}

export const OUTSIDE = 0;
export const INSIDE = 1;
/** Edges tell. */
const MIXED = 2;

/**
 * A grid over a shape. Cells without edges are outside or inside as a whole. In a mixed one the way from its own point
 * to a place meets edges of the cell alone: the place is in a part as its point is, but for an odd number of edges
 * between them.
 */
export type ShapeIndex = Grid & {
  readonly edges: Edges;
  /** By rows from the south, the outer ones too: OUTSIDE, INSIDE or MIXED. */
  readonly states: Uint8Array;
  /** The mixed ones, ascending. */
  readonly mixed: Int32Array;
  /** Where the entries of each mixed cell begin, and where the last ends. */
  readonly starts: Int32Array;
  /** Of mixed cells: `entryOf` an edge, or −1 − slot of a part in which the cell's point is. */
  readonly entries: Int32Array;
  /** How many parts edges of one cell are of, at most; each has a number there. */
  readonly slots: number;
  /** The points of cells: one longitude for each column, one latitude for each row. */
  readonly pointLongitudes: Float64Array;
  readonly pointLatitudes: Float64Array;
};

/**
 * Entries of mixed cells, at most, and for each vertex: a shape for which they are more has larger cells. Making them,
 * and the text of them that PostgreSQL gets, holds up the process: some 2 ms for each thousand.
 */
const ENTRIES = 4_096;
const ENTRIES_OF_VERTEX = 4;

/** Cells are as many as the square of the lines, the entries of a ring, and what is written of them, as many as the lines. */
const LINES_OF_SHARE = 0.8;

/** Edges of one cell, above which cells are not all of one size: what a few hold is told of each place there. */
const LONG_LIST = 48;

/** Shares of a cell; no edge of a shape that people draw passes such a point. */
const POINT_SHARE = 0.4861930251;
const NEXT_SHARE = 0.6180339887;

/** Points of a row that are tried. */
const TRIES = 1_000;
const PREDICTABLE_TRIES = 8;

const kept = new WeakMap<Shape, { readonly share: number; readonly index: ShapeIndex }>();

/** @param share of the cells and entries that the shapes of a filter may have together */
export function shapeIndex(shape: Shape, share = 1): ShapeIndex {
  const present = kept.get(shape);
  if (present && present.share >= share) return present.index;
  const index = createIndex(edgesOf(shape), share);
  kept.set(shape, { share, index });
  return index;
}

/** What an entry is of: an edge, on which side of it the cell's point lies, and the number of its part. */
function entryOf(edge: number, isLeft: boolean, slot: number, slots: number): number {
  return (2 * edge + Number(isLeft)) * slots + slot;
}

function createIndex(edges: Edges, share: number): ShapeIndex {
  const longitudes = edges.longitudes.map((_, vertex) => turnedLongitude(edges, vertex));
  const limit = ENTRIES * share + ENTRIES_OF_VERTEX * longitudes.length;
  // Of the lines of either direction, so that a ring of few edges has no more entries than its share.
  let ofLines = share ** LINES_OF_SHARE;
  const even = evenGrid(longitudes, edges.latitudes, ofLines);
  const cells = even && cellsOfEdges(edges, even, limit);
  if (cells && cells.longest <= LONG_LIST) return indexOf(edges, even, cells);
  for (;;) {
    const grid = unevenGrid(longitudes, edges.latitudes, ofLines);
    const uneven = cellsOfEdges(edges, grid, limit);
    if (uneven !== null) return indexOf(edges, grid, uneven);
    ofLines /= 2;
  }
}

function indexOf(edges: Edges, grid: Grid, { ofRows, ofCells }: EdgeCells): ShapeIndex {
  const { meridians, parallels } = grid;
  const width = meridians.length + 1;
  const slots = slotsOf(edges, ofCells);
  const states = new Uint8Array(width * (parallels.length + 1));
  const pointLongitudes = Float64Array.from(meridians.subarray(1), (east, i) =>
    between(meridians[i] ?? east, east, POINT_SHARE),
  );
  const pointLatitudes = new Float64Array(parallels.length - 1);
  const [mixed, starts, entries]: [number[], number[], number[]] = [[], [0], []];
  for (let row = 1; row < parallels.length; row += 1) {
    const { latitude, crossings } = pointsOfRow(edges, ofRows[row] ?? [], pointLongitudes, [
      parallels[row - 1] ?? 0,
      parallels[row] ?? 0,
    ]);
    pointLatitudes[row - 1] = latitude;
    const around = new Set<number>();
    for (let column = 1; column < meridians.length; column += 1) {
      for (const part of crossings.get(column - 1) ?? []) {
        if (!around.delete(part)) around.add(part);
      }
      const cell = row * width + column;
      const inCell = ofCells[cell];
      const point = { x: pointLongitudes[column - 1] ?? 0, turns: 0, y: latitude };
      const own = inCell && entriesOf(edges, inCell, point, around, slots);
      states[cell] = own ? MIXED : around.size > 0 ? INSIDE : OUTSIDE;
      if (!own) continue;
      mixed.push(cell);
      for (const entry of own) entries.push(entry);
      starts.push(entries.length);
    }
  }
  return {
    edges,
    ...grid,
    states,
    mixed: Int32Array.from(mixed),
    starts: Int32Array.from(starts),
    entries: Int32Array.from(entries),
    slots,
    pointLongitudes,
    pointLatitudes,
  };
}

/** A latitude in a row at which no edge meets the points of its cells, and what crosses it between them. */
function pointsOfRow(
  edges: Edges,
  ofRow: readonly number[],
  longitudes: Float64Array,
  [south, north]: readonly [number, number],
) {
  for (let i = 0; i < TRIES; i += 1) {
    // Whoever draws a shape through all points that can be foreseen meets others.
    const share = i < PREDICTABLE_TRIES ? (POINT_SHARE + i * NEXT_SHARE) % 1 : Math.random();
    const latitude = between(south, north, share);
    const crossings = crossingsOfRow(edges, ofRow, longitudes, latitude);
    if (crossings !== null) return { latitude, crossings };
  }
  throw new Error("every latitude of a row of cells meets edges at their points");
}

function between(low: number, high: number, share: number): number {
  return low + (high - low) * share;
}

/** Of a mixed cell; null where it is inside, since a part without edges in it is around its point. */
function entriesOf(
  edges: Edges,
  inCell: readonly number[],
  point: Point,
  around: ReadonlySet<number>,
  slots: number,
): number[] | null {
  const slotOf = slotsOfCell(edges, inCell);
  const inParts = [...slotOf].filter(([part]) => around.has(part));
  if (inParts.length < around.size) return null;
  return [
    ...inParts.map(([, slot]) => -1 - slot),
    ...inCell.map((edge) => {
      const isLeft = orientation(vertexOf(edges, edge), vertexOf(edges, edge + 1), point) > 0;
      return entryOf(edge, isLeft, slotOf.get(edges.parts[edge] ?? 0) ?? 0, slots);
    }),
  ];
}

function slotsOfCell({ parts }: Edges, inCell: readonly number[]): ReadonlyMap<number, number> {
  const slots = new Map<number, number>();
  for (const edge of inCell) {
    const part = parts[edge] ?? 0;
    if (!slots.has(part)) slots.set(part, slots.size);
  }
  return slots;
}

function slotsOf(edges: Edges, ofCells: EdgeCells["ofCells"]): number {
  let slots = 1;
  for (const inCell of ofCells) {
    if (inCell !== undefined) slots = Math.max(slots, slotsOfCell(edges, inCell).size);
  }
  return slots;
}

/**
 * The parts whose edges cross a row of points between the one before and each of them, going east. Null where one of
 * the points is on an edge.
 */
function crossingsOfRow(
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

type EdgeCells = NonNullable<ReturnType<typeof cellsOfEdges>>;

/**
 * The edges that touch each row of a grid, and each of its cells; more of them than do, by a margin. Null where edges
 * would stand in more than so many cells.
 */
function cellsOfEdges(edges: Edges, grid: Grid, limit: number) {
  const { meridians, parallels } = grid;
  const ofRows: number[][] = Array.from(parallels, () => []);
  const ofCells: number[][] = new Array((meridians.length + 1) * (parallels.length + 1));
  let [entries, longest] = [0, 0];
  for (const [edge, begins] of edges.begins.entries()) {
    if (begins === 0) continue;
    const line = lineOf(edges, edge);
    const [south, north] = spanOf(parallels, line.y1, line.y2);
    for (let row = south; row <= north; row += 1) {
      ofRows[row]?.push(edge);
      const [west, east] = spanOf(meridians, ...line.between(parallels[row - 1], parallels[row]));
      entries += east - west + 1;
      if (entries > limit) return null;
      for (let column = west; column <= east; column += 1) {
        const cell = row * (meridians.length + 1) + column;
        const present = ofCells[cell];
        if (present === undefined) ofCells[cell] = [edge];
        else longest = Math.max(longest, present.push(edge));
      }
    }
  }
  return { ofRows, ofCells, longest };
}

/** Inner rows or columns that two numbers and all between them lie in. */
function spanOf(lines: Float64Array, a: number, b: number): readonly [first: number, last: number] {
  const first = linesBelow(lines, Math.min(a, b) - MARGIN);
  const last = linesBelow(lines, Math.max(a, b) + MARGIN);
  return [Math.max(first, 1), Math.min(last, lines.length - 1)];
}

function lineOf(edges: Edges, edge: number) {
  const [x1, x2] = [turnedLongitude(edges, edge), turnedLongitude(edges, edge + 1)];
  const [y1 = 0, y2 = 0] = edges.latitudes.subarray(edge, edge + 2);
  const xAt = (y: number): number => {
    const inside = Math.min(Math.max(y, Math.min(y1, y2)), Math.max(y1, y2));
    return x1 + ((inside - y1) / (y2 - y1)) * (x2 - x1);
  };
  return {
    y1,
    y2,
    /** The longitudes of the edge between two latitudes. */
    between(south = 0, north = 0): readonly [number, number] {
      return y1 === y2 ? [x1, x2] : [xAt(south - MARGIN), xAt(north + MARGIN)];
    },
  };
}

/** Lines between columns and between rows, ascending. The first and the last of either lie beyond the lines. */
type Grid = {
  readonly meridians: Float64Array;
  readonly parallels: Float64Array;
  /** Whether all columns are as wide as each other, and all rows. */
  readonly isEven: boolean;
};

/** Columns, or rows, of an even grid. */
const EVEN = 192;

/** Of another one: so many lines at equal distances, and so many where vertices are. */
const EQUAL = 128;
const AMONG_VERTICES = 64;

/** Of the outer lines from the vertices; above all errors of turning a longitude and of counting even cells. */
export const MARGIN = 1e-10;

/** Between two lines there are always numbers that are no vertex's. */
const LEAST_WIDTH = 1e-9;

/** An even grid with a share of the lines that it may have; null where its cells would be too small. */
function evenGrid(longitudes: Float64Array, latitudes: Float64Array, share: number): Grid | null {
  const steps = Math.max(1, Math.floor(EVEN * share));
  const [meridians, parallels] = [longitudes, latitudes].map((coordinates) => {
    const [first, last] = endsOf(coordinates.toSorted());
    return Float64Array.of(...stepsBetween(first, last, steps), last);
  });
  if (meridians === undefined || parallels === undefined) return null;
  const isWide = (lines: Float64Array) => (lines[1] ?? 0) - (lines[0] ?? 0) > LEAST_WIDTH;
  return isWide(meridians) && isWide(parallels) ? { meridians, parallels, isEven: true } : null;
}

/** The same, whose cells are small where vertices are many. */
function unevenGrid(longitudes: Float64Array, latitudes: Float64Array, share: number): Grid {
  return {
    meridians: unevenLines(longitudes, share),
    parallels: unevenLines(latitudes, share),
    isEven: false,
  };
}

function unevenLines(coordinates: Float64Array, share: number): Float64Array {
  const sorted = coordinates.toSorted();
  const [first, last] = endsOf(sorted);
  const among = Math.floor(AMONG_VERTICES * share);
  const chosen = Array.from(
    { length: among },
    (_, i) => sorted[Math.floor(((i + 0.5) / among) * sorted.length)] ?? first,
  );
  const steps = stepsBetween(first, last, Math.max(1, Math.floor(EQUAL * share)));
  const lines = [first];
  for (const line of [...steps, ...chosen].sort((a, b) => a - b)) {
    if (line - (lines.at(-1) ?? first) > LEAST_WIDTH && last - line > LEAST_WIDTH) lines.push(line);
  }
  return Float64Array.of(...lines, last);
}

function endsOf(sorted: Float64Array): readonly [first: number, last: number] {
  return [(sorted[0] ?? 0) - MARGIN, (sorted.at(-1) ?? 0) + MARGIN];
}

/** The beginnings of so many steps. */
function stepsBetween(first: number, last: number, steps: number): number[] {
  return Array.from({ length: steps }, (_, i) => first + ((last - first) * i) / steps);
}

/** How many lines are not above a number. */
function linesBelow(lines: Float64Array | Int32Array, value: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * All vertices of a shape, ring after ring, each ring closed. An edge has the number of its first vertex. A line is a
 * ring to its end and back, a point a ring of one edge: no place is in them, places are on their edges.
 */
export type Edges = ReturnType<typeof edgesOf>;

function edgesOf({ polygons, lines, points }: Shape) {
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
    /** Whole turns by which each vertex is moved, so that the shape is as narrow as can be. */
    turns: Int8Array.from(vertices, ({ part }) => turns?.[part] ?? 0),
    /** The polygon, line or point that each vertex is of. */
    parts: Int32Array.from(vertices, ({ part }) => part),
    /** Whether a vertex begins an edge: it is not the last of its ring. */
    begins: Uint8Array.from(vertices, ({ begins }) => Number(begins)),
  };
}

/** As far as the shape is moved, in a double. */
export function turnedLongitude({ longitudes, turns }: Edges, vertex: number): number {
  return (longitudes[vertex] ?? Number.NaN) + TURN * (turns[vertex] ?? 0);
}

function vertexOf({ longitudes, turns, latitudes }: Edges, vertex: number): Point {
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
type Point = { readonly x: number; readonly turns: number; readonly y: number };

/**
 * Of the sums of distances that a determinant is made of: above all errors of its doubles, for longitudes within
 * three turns (2⁻⁴¹ for each difference, of which the half is that of adding turns).
 */
export const ORIENTATION_ERROR = 2 ** -39;

/**
 * On which side of the line from one point to another a third lies: positive on the left, negative on the right, 0
 * on it, exactly in the decimals.
 */
function orientation(a: Point, b: Point, p: Point): number {
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
