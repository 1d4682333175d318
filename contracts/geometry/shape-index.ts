import { cellsOfEdges, type EdgeCells } from "./edge-cells.ts";
import { type Edges, edgesOf, turnedLongitude, vertexOf } from "./edges.ts";
import { evenGrid, type Grid, linesBelow, unevenGrid } from "./grid-lines.ts";
import { orientation, type Point } from "./orientation.ts";
import type { Shape } from "./shape.ts";

export const OUTSIDE = 0;
export const INSIDE = 1;
/** Edges tell. */
export const MIXED = 2;

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
export function entryOf(edge: number, isLeft: boolean, slot: number, slots: number): number {
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
