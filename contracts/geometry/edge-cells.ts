import { type Edges, turnedLongitude } from "./edges.ts";
import { type Grid, linesBelow, MARGIN } from "./grid-lines.ts";

/** The edges that touch each row of a grid, and each of its cells; more of them than do, by a margin. */
export type EdgeCells = {
  readonly ofRows: readonly (readonly number[])[];
  readonly ofCells: readonly (readonly number[] | undefined)[];
  /** Edges of one cell, at most. */
  readonly longest: number;
};

/** Null where edges would stand in more than so many cells. */
export function cellsOfEdges(edges: Edges, grid: Grid, limit: number): EdgeCells | null {
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
