/** Lines between columns and between rows, ascending. The first and the last of either lie beyond the lines. */
export type Grid = { readonly meridians: Float64Array; readonly parallels: Float64Array };

/** Cells of one direction that are as wide as each other, at most. */
const EQUAL = 128;

/** Further lines where vertices are, at most: cells become small where edges are many. */
const AMONG_VERTICES = 64;

/** Of the outer lines from the vertices; above all errors of turning a longitude. */
export const MARGIN = 1e-10;

/** Between two lines there are always numbers that are no vertex's. */
const LEAST_WIDTH = 1e-9;

/**
 * Lines of a grid, ascending: one on each side of all vertices, and between them as many as the fineness, 1 or less,
 * leaves of the most.
 */
export function gridLines(coordinates: Float64Array, fineness: number): Float64Array {
  const sorted = coordinates.toSorted();
  const first = (sorted[0] ?? 0) - MARGIN;
  const last = (sorted.at(-1) ?? 0) + MARGIN;
  const equal = Math.max(1, Math.floor(EQUAL * fineness));
  const steps = Array.from(
    { length: equal - 1 },
    (_, i) => first + ((last - first) * (i + 1)) / equal,
  );
  const among = Math.floor(AMONG_VERTICES * fineness);
  const chosen = Array.from(
    { length: among },
    (_, i) => sorted[Math.floor(((i + 0.5) / among) * sorted.length)] ?? first,
  );
  const lines = [first];
  for (const line of [...steps, ...chosen].sort((a, b) => a - b)) {
    if (line - (lines.at(-1) ?? first) > LEAST_WIDTH && last - line > LEAST_WIDTH) lines.push(line);
  }
  return Float64Array.of(...lines, last);
}

/** How many lines are not above a number. */
export function linesBelow(lines: Float64Array | Int32Array, value: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
