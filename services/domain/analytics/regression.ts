import { quantileOf } from "./numbers/distributions.ts";
import { compensatedSum, type Estimate, noEstimate } from "./numbers/numerics.ts";

/** Pairs of values, such as the magnitudes of the same earthquakes in two catalogues. */
export type Points = {
  readonly x: Float64Array;
  /** As many as `x`. */
  readonly y: Float64Array;
};

/** y = intercept + slope · x. */
export type Line = { readonly slope: number; readonly intercept: number };

export function differencesOf({ x, y }: Points): Float64Array {
  return y.map((value, i) => value - (x[i] ?? 0));
}

const REQUIRED_PAIRS = 30;
const REQUIRED_RANGE = 1;
/** So that magnitudes from 3.2 to 4.2 have the range of 1 that is required. */
const RANGE_TOLERANCE = 1e-9;

/** How magnitudes y follow from magnitudes x. */
export type MagnitudeRegressions = {
  /** The range of x for which the lines hold; they say nothing beyond it. */
  readonly range: { readonly min: number; readonly max: number };
  readonly ols: FittedLine;
  readonly gor: FittedLine;
  readonly theilSen: FittedLine & TheilSenLine;
};

/** `sigma` is the standard deviation of y about the line, √(Σ(y − ŷ)² / (n − 2)). */
export type FittedLine = Line & { readonly sigma: number };

/**
 * Ordinary least squares for reference, general orthogonal regression, and the line of Theil and Sen:
 * of at least 30 pairs whose x differ by at least 1.
 * @param eta variance of the errors of y by that of x
 */
export function magnitudeRegressions(points: Points, eta: number): Estimate<MagnitudeRegressions> {
  const { x } = points;
  const n = x.length;
  const none = (reason: string) => noEstimate(reason, n, REQUIRED_PAIRS);
  if (n < REQUIRED_PAIRS) return none("too few pairs of events with both magnitudes");
  const range = rangeOf(x);
  if (range.max - range.min < REQUIRED_RANGE - RANGE_TOLERANCE) {
    return none("the magnitudes of the first catalogue differ by less than 1");
  }
  const lines = {
    ols: ordinaryLeastSquares(points),
    gor: orthogonalRegression(points, eta),
    theilSen: theilSen(points),
  };
  if (lines.ols === null || lines.gor === null || lines.theilSen === null) {
    return none("the magnitudes do not vary together");
  }
  return {
    estimate: {
      range,
      ols: fitted(points, lines.ols),
      gor: fitted(points, lines.gor),
      theilSen: fitted(points, lines.theilSen),
    },
  };
}

function rangeOf(values: Float64Array) {
  const min = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const max = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return { min, max };
}

function fitted<L extends Line>({ x, y }: Points, line: L): L & { sigma: number } {
  let squares = 0;
  for (let i = 0; i < x.length; i++) {
    squares += ((y[i] ?? 0) - line.intercept - line.slope * (x[i] ?? 0)) ** 2;
  }
  return { ...line, sigma: Math.sqrt(squares / (x.length - 2)) };
}

/**
 * Ordinary least squares: slope = s_xy / s_xx, which takes x as free of error and so lies too flat
 * where it is not. For reference (Castellaro, Mulargia & Kagan 2006).
 * @returns null where all x are equal
 */
export function ordinaryLeastSquares(points: Points): Line | null {
  const { meanX, meanY, xx, xy } = momentsOf(points);
  if (xx === 0) return null;
  const slope = xy / xx;
  return { slope, intercept: meanY - slope * meanX };
}

/**
 * General orthogonal regression, for x and y that both have errors:
 * slope = [s_yy − η s_xx + √((s_yy − η s_xx)² + 4 η s_xy²)] / (2 s_xy), through the mean
 * (Fuller 1987; Castellaro, Mulargia & Kagan 2006).
 * @param eta variance of the errors of y by that of x, above 0
 * @returns null where x and y do not vary together
 */
export function orthogonalRegression(points: Points, eta: number): Line | null {
  const { meanX, meanY, xx, xy, yy } = momentsOf(points);
  if (xy === 0) return null;
  const excess = yy - eta * xx;
  const root = Math.hypot(excess, 2 * Math.sqrt(eta) * xy);
  // Of two equal forms the one in which nothing is cancelled.
  const slope = excess > 0 ? (excess + root) / (2 * xy) : (2 * eta * xy) / (root - excess);
  return { slope, intercept: meanY - slope * meanX };
}

/** Means, and sums of squares and products about them: the regressions need only their ratios. */
function momentsOf({ x, y }: Points) {
  const meanX = compensatedSum(x) / x.length;
  const meanY = compensatedSum(y) / y.length;
  const dx = x.map((value) => value - meanX);
  const dy = y.map((value) => value - meanY);
  const sum = (a: Float64Array, b: Float64Array) =>
    compensatedSum(a.map((value, i) => value * (b[i] ?? 0)));
  return { meanX, meanY, xx: sum(dx, dx), xy: sum(dx, dy), yy: sum(dy, dy) };
}

/** The quantile of the normal distribution for 95 % on two sides. */
const Z_95 = 1.959963984540054;

type TheilSenLine = Line & {
  /** The 95 % interval of the slope. */
  readonly slopeLow: number;
  readonly slopeHigh: number;
};

/**
 * The line of Theil 1950 and Sen 1968: the median of the slopes of all pairs of points of different
 * x, intercept = median(y) − slope · median(x); outliers hardly move it. The interval is Sen's, from
 * the variance of Kendall's statistic with ties.
 * @returns null where all x are equal
 */
export function theilSen(points: Points): TheilSenLine | null {
  const { count, slopeOf } = createSlopeRanks(points);
  if (count === 0) return null;
  const slope = (slopeOf(Math.floor((count - 1) / 2)) + slopeOf(Math.floor(count / 2))) / 2;
  const reach = Z_95 * Math.sqrt(kendallVariance(points));
  const low = Math.max(Math.round((count - reach) / 2) - 1, 0);
  const high = Math.min(Math.round((count + reach) / 2), count - 1);
  return {
    slope,
    intercept: medianOf(points.y) - slope * medianOf(points.x),
    slopeLow: slopeOf(low),
    slopeHigh: slopeOf(high),
  };
}

function kendallVariance({ x, y }: Points): number {
  return (term(x.length) - tieTerms(x) - tieTerms(y)) / 18;
}

const term = (n: number): number => n * (n - 1) * (2 * n + 5);

function tieTerms(values: Float64Array): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts.values().reduce((sum, count) => sum + term(count), 0);
}

/** Slopes are found to this, of 1 or of their own size where that is more. */
const SLOPE_TOLERANCE = 1e-14;
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
      while (high - low > SLOPE_TOLERANCE * Math.max(1, Math.abs(low), Math.abs(high))) {
        const middle = low + (high - low) / 2;
        if (countBelow(middle) > rank) high = middle;
        else low = middle;
      }
      const slope = low + (high - low) / 2;
      return Math.abs(slope) <= SLOPE_TOLERANCE ? 0 : Number(slope.toPrecision(DIGITS));
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

/** The standard deviation of a normal distribution by its median absolute deviation. */
const SIGMA_BY_MAD = 1.4826;

/** How differences are distributed, in their own unit. */
export type ResidualDistribution = NonNullable<ReturnType<typeof residualsOf>>;

/**
 * Median, robust σ (Hampel 1974) and the quantiles of 5 and 95 % (type 7) of differences.
 * @param values NaN for those that are not known, which are left out
 * @returns null where none is known
 */
export function residualsOf(values: Float64Array) {
  const known = values.filter((value) => !Number.isNaN(value)).sort();
  if (known.length === 0) return null;
  const median = quantileOf(known, 0.5);
  return {
    n: known.length,
    median,
    /** 1.4826 · the median absolute deviation from the median: a σ that outliers do not move. */
    sigma: SIGMA_BY_MAD * medianOf(known.map((value) => Math.abs(value - median))),
    p05: quantileOf(known, 0.05),
    p95: quantileOf(known, 0.95),
  };
}

/** @returns NaN for no values */
function medianOf(values: Float64Array): number {
  return quantileOf(values.toSorted(), 0.5);
}
