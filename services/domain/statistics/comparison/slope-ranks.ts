import type { Points } from "./points.ts";

/** Slopes are found to this, of 1 or of their own size where that is more. */
const TOLERANCE = 1e-14;
const DIGITS = 12;

/**
 * Finds the slopes (y_j − y_i) / (x_j − x_i) of all pairs of points with x_i < x_j by their rank in size,
 * without listing them: slopes below s are the pairs that y − s·x puts into the
 * other order than x, which merge sort counts in O(n log n); s is found by bisection
 * (Matoušek 1991, with bisection in place of chance).
 */
export function createSlopeRanks(points: Points) {
  const { x, y } = inOrder(points);
  const counts = new Map<number, number>();

  function countBelow(slope: number): number {
    const count = counts.get(slope) ?? inversions(y.map((value, i) => value - slope * (x[i] ?? 0)));
    counts.set(slope, count);
    return count;
  }

  /** The lower end has at most `rank` slopes below it, the upper end more. */
  function bracket(rank: number): [low: number, high: number] {
    let [low, high] = [-1, 1];
    while (countBelow(low) > rank) low *= 2;
    while (countBelow(high) <= rank) high *= 2;
    return [low, high];
  }

  return {
    count: pairsOf(x.length) - pairsOfEqual(x),
    /** The slope with this many smaller ones before it, to 12 digits. @param rank 0 to count − 1 */
    slopeOf(rank: number): number {
      let [low, high] = bracket(rank);
      while (high - low > TOLERANCE * Math.max(1, Math.abs(low), Math.abs(high))) {
        const middle = low + (high - low) / 2;
        if (countBelow(middle) > rank) high = middle;
        else low = middle;
      }
      const slope = low + (high - low) / 2;
      return Math.abs(slope) <= TOLERANCE ? 0 : Number(slope.toPrecision(DIGITS));
    },
  };
}

/** By x, then y, so that no slope puts points of equal x into another order. */
function inOrder({ x, y }: Points): Points {
  const order = Int32Array.from(x, (_, i) => i);
  order.sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0) || (y[a] ?? 0) - (y[b] ?? 0));
  const ordered = (column: Float64Array) => Float64Array.from(order, (i) => column[i] ?? 0);
  return { x: ordered(x), y: ordered(y) };
}

const pairsOf = (n: number): number => (n * (n - 1)) / 2;

function pairsOfEqual(ascending: Float64Array): number {
  let pairs = 0;
  let run = 0;
  for (let i = 1; i < ascending.length; i++) {
    run = ascending[i] === ascending[i - 1] ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

/** How many pairs of values stand in falling order; sorts the values. */
function inversions(values: Float64Array): number {
  let from = values;
  let to: Float64Array = new Float64Array(values.length);
  let count = 0;
  for (let width = 1; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width) {
      count += mergeRuns(from, to, start, width);
    }
    [from, to] = [to, from];
  }
  return count;
}

/** Merges two neighbouring sorted runs. @returns how many pairs of them stood in falling order */
function mergeRuns(from: Float64Array, to: Float64Array, start: number, width: number): number {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let left = start;
  let right = middle;
  let count = 0;
  for (let place = start; place < end; place++) {
    const isRight =
      right < end && (left === middle || (from[right] as number) < (from[left] as number));
    if (isRight) count += middle - left;
    to[place] = from[isRight ? right++ : left++] as number;
  }
  return count;
}
