/** Lines between columns and between rows, ascending. The first and the last of either lie beyond the lines. */
export type Grid = {
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
export function evenGrid(
  longitudes: Float64Array,
  latitudes: Float64Array,
  share: number,
): Grid | null {
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
export function unevenGrid(longitudes: Float64Array, latitudes: Float64Array, share: number): Grid {
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
export function linesBelow(lines: Float64Array | Int32Array, value: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
