import { binOf, magnitudeOf } from "#contracts/analytics/histogram.ts";
import { groupEvents, membersOf, sizeOf } from "../merges/grouping/group-events.ts";
import {
  at,
  kilometresBetween,
  microsBetween,
  type Origins,
  type Thresholds,
} from "../merges/grouping/thresholds.ts";
import { quantileOf } from "./numbers/distributions.ts";
import { compensatedSum, type Estimate, noEstimate } from "./numbers/numerics.ts";

const MICROS_PER_SECOND = 1_000_000;
const BIN_WIDTH = 0.1;
/** A pair beyond this part of a threshold might be none. */
const NEAR_THRESHOLD = 0.8;

type CompareOptions = {
  readonly thresholds: Thresholds;
  /** Variance of the errors of magnitudes in the second catalogue by that in the first. */
  readonly eta: number;
};

/** Differences are of the second catalogue from the first one. */
export type Comparison = {
  readonly matched: number;
  /** The part of the pairs beyond 80 % of a threshold; null without pairs. */
  readonly nearThreshold: number | null;
  readonly residuals: {
    /** Seconds. */
    readonly time: ResidualDistribution | null;
    /** Kilometres between the epicentres. */
    readonly distance: ResidualDistribution | null;
    /** Kilometres, of pairs whose depths are known and not fixed. */
    readonly depth: ResidualDistribution | null;
    readonly magnitude: ResidualDistribution | null;
  };
  /** Magnitudes of the second catalogue by those of the first. */
  readonly regressions: Estimate<MagnitudeRegressions>;
  readonly magnitudes: readonly MagnitudeMatches[];
  readonly typePairs: readonly TypePair[];
};

/**
 * Compares two catalogues by the events that a merge would take for the same earthquake.
 * @throws TooManyCandidates where the thresholds are too wide
 */
export function compareCatalogues(
  events: ComparedEvents,
  { thresholds, eta }: CompareOptions,
): Comparison {
  const { origins, depths } = events;
  const pairs = matchedPairs(origins, thresholds);
  const times = ofPairs(pairs, (a, b) => microsBetween(origins, a, b) / MICROS_PER_SECOND);
  const distances = ofPairs(pairs, (a, b) => kilometresBetween(origins, a, b));
  const points = magnitudePoints(events, pairs);
  return {
    matched: pairs.count,
    nearThreshold: partNearThreshold(times, distances, thresholds),
    residuals: {
      time: residualsOf(times),
      distance: residualsOf(distances),
      depth: residualsOf(ofPairs(pairs, (a, b) => at(depths, b) - at(depths, a))),
      magnitude: residualsOf(differencesOf(points)),
    },
    regressions: magnitudeRegressions(points, eta),
    magnitudes: magnitudeMatches(events, pairs, BIN_WIDTH),
    typePairs: typePairs(events, pairs, eta),
  };
}

function ofPairs({ a, b }: MatchedPairs, measure: (a: number, b: number) => number): Float64Array {
  return Float64Array.from(a, (row, i) => measure(row, at(b, i)));
}

function partNearThreshold(
  seconds: Float64Array,
  kilometres: Float64Array,
  thresholds: Thresholds,
): number | null {
  if (seconds.length === 0) return null;
  const farInTime = (NEAR_THRESHOLD * thresholds.micros) / MICROS_PER_SECOND;
  const farInSpace = NEAR_THRESHOLD * thresholds.kilometres;
  let near = 0;
  for (let i = 0; i < seconds.length; i++) {
    if (Math.abs(at(seconds, i)) > farInTime || at(kilometres, i) > farInSpace) near += 1;
  }
  return near / seconds.length;
}

type MatchCounts = { readonly matched: number; readonly unmatched: number };

/** How many events of a magnitude each catalogue shares with the other one, and has alone. */
type MagnitudeMatches = {
  /** The centre of the bin. */
  readonly magnitude: number;
  readonly a: MatchCounts;
  readonly b: MatchCounts;
};

/** Bins from the lowest to the highest magnitude of both catalogues, empty ones too. */
function magnitudeMatches(
  { origins, magnitudes }: Pick<ComparedEvents, "origins" | "magnitudes">,
  pairs: MatchedPairs,
  binWidth: number,
): MagnitudeMatches[] {
  const isMatched = new Uint8Array(origins.length);
  for (const row of pairs.a) isMatched[row] = 1;
  for (const row of pairs.b) isMatched[row] = 1;
  const counts = new Map<number, [number, number, number, number]>();
  for (let row = 0; row < origins.length; row++) {
    const magnitude = at(magnitudes, row);
    if (Number.isNaN(magnitude)) continue;
    const bin = binOf(magnitude, binWidth);
    const known = counts.get(bin) ?? [0, 0, 0, 0];
    const kind = 2 * at(origins.source, row) + (isMatched[row] === 1 ? 0 : 1);
    known[kind] = (known[kind] ?? 0) + 1;
    counts.set(bin, known);
  }
  if (counts.size === 0) return [];
  const first = Math.min(...counts.keys());
  return Array.from({ length: Math.max(...counts.keys()) - first + 1 }, (_, i) => {
    const [aMatched, aAlone, bMatched, bAlone] = counts.get(first + i) ?? [0, 0, 0, 0];
    return {
      magnitude: magnitudeOf(first + i, binWidth),
      a: { matched: aMatched, unmatched: aAlone },
      b: { matched: bMatched, unmatched: bAlone },
    };
  });
}

/** The events of two catalogues by column; row i is one event. */
export type ComparedEvents = {
  /** The source is 0 in the first catalogue and 1 in the second. */
  readonly origins: Origins;
  /** km; NaN where unknown or fixed. */
  readonly depths: Float64Array;
  /** NaN where unknown. */
  readonly magnitudes: Float64Array;
  /** Index of the magnitude type in `typeNames`. */
  readonly types: Int32Array;
  readonly typeNames: readonly (string | null)[];
};

/** The magnitudes of those pairs of events that both have one: x of the first catalogue, y of the second. */
function magnitudePoints({ magnitudes }: Pick<ComparedEvents, "magnitudes">, pairs: MatchedPairs) {
  const x = new Float64Array(pairs.count);
  const y = new Float64Array(pairs.count);
  let length = 0;
  for (let pair = 0; pair < pairs.count; pair++) {
    const [ofA, ofB] = [at(magnitudes, at(pairs.a, pair)), at(magnitudes, at(pairs.b, pair))];
    if (Number.isNaN(ofA) || Number.isNaN(ofB)) continue;
    x[length] = ofA;
    y[length] = ofB;
    length += 1;
  }
  return { x: x.subarray(0, length), y: y.subarray(0, length) };
}

type MatchedPairs = ReturnType<typeof matchedPairs>;

/**
 * Pairs the events of two catalogues as a merge of them would: nearest first, each event once.
 * @param origins of the sources 0 and 1
 * @returns input rows of the sources 0 and 1, as many of each, in order of the earlier of their times
 * @throws TooManyCandidates
 */
function matchedPairs(origins: Origins, thresholds: Thresholds) {
  const grouping = groupEvents(origins, { thresholds });
  const count = grouping.members.length - grouping.count;
  const pairs = { count, a: new Int32Array(count), b: new Int32Array(count) };
  let pair = 0;
  for (let group = 0; group < grouping.count; group++) {
    if (sizeOf(grouping, group) < 2) continue;
    const members = membersOf(grouping, group);
    const [first, second] = [at(members, 0), at(members, 1)];
    const isInOrder = at(origins.source, first) === 0;
    pairs.a[pair] = isInOrder ? first : second;
    pairs.b[pair] = isInOrder ? second : first;
    pair += 1;
  }
  return pairs;
}

const REQUIRED_PAIRS = 10;

/** The pairs of events whose magnitudes are of one type in each catalogue. */
export type TypePair = {
  readonly a: string | null;
  readonly b: string | null;
  readonly n: number;
  readonly magnitude: ResidualDistribution;
  readonly regressions: Estimate<MagnitudeRegressions>;
};

/**
 * By each pair of magnitude types, whatever their case, that at least 10 pairs of events have; the most
 * frequent first. Types are named by their most frequent spelling.
 */
function typePairs(events: ComparedEvents, pairs: MatchedPairs, eta: number): TypePair[] {
  const spellings = commonSpellings(events);
  const byTypes = new Map<string, { a: number[]; b: number[] }>();
  for (let pair = 0; pair < pairs.count; pair++) {
    const [a, b] = [at(pairs.a, pair), at(pairs.b, pair)];
    if (Number.isNaN(at(events.magnitudes, a) - at(events.magnitudes, b))) continue;
    const key = `${spellings[at(events.types, a)]} ${spellings[at(events.types, b)]}`;
    const known = byTypes.get(key) ?? { a: [], b: [] };
    known.a.push(a);
    known.b.push(b);
    byTypes.set(key, known);
  }
  return [...byTypes]
    .flatMap(([key, { a, b }]) => {
      const count = a.length;
      const ofTypes = { count, a: Int32Array.from(a), b: Int32Array.from(b) };
      const points = magnitudePoints(events, ofTypes);
      const magnitude = residualsOf(differencesOf(points));
      if (count < REQUIRED_PAIRS || magnitude === null) return [];
      const [nameA, nameB] = key.split(" ").map((type) => events.typeNames[Number(type)] ?? null);
      const names = { a: nameA ?? null, b: nameB ?? null };
      return { ...names, n: count, magnitude, regressions: magnitudeRegressions(points, eta) };
    })
    .toSorted((one, other) => other.n - one.n || order(one, other));
}

/** For each type, that of its spellings, whatever their case, that most events have. */
function commonSpellings({ types, typeNames }: ComparedEvents): number[] {
  const counts = new Float64Array(typeNames.length);
  for (const type of types) counts[type] = at(counts, type) + 1;
  const common = new Map<string | null, number>();
  const keys = typeNames.map((name) => name?.toLowerCase() ?? null);
  for (const [type, key] of keys.entries()) {
    const known = common.get(key);
    if (known === undefined || at(counts, type) > at(counts, known)) common.set(key, type);
  }
  return keys.map((key) => common.get(key) ?? 0);
}

function order(one: TypePair, other: TypePair): number {
  const [first, second] = [one, other].map(({ a, b }) => `${a} ${b}`);
  return String(first) < String(second) ? -1 : 1;
}

/** Pairs of values, such as the magnitudes of the same earthquakes in two catalogues. */
export type Points = {
  readonly x: Float64Array;
  /** As many as `x`. */
  readonly y: Float64Array;
};

/** y = intercept + slope · x. */
export type Line = { readonly slope: number; readonly intercept: number };

function differencesOf({ x, y }: Points): Float64Array {
  return y.map((value, i) => value - (x[i] ?? 0));
}

const REQUIRED_FOR_LINES = 30;
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
type FittedLine = Line & { readonly sigma: number };

/**
 * Ordinary least squares for reference, general orthogonal regression, and the line of Theil and Sen:
 * of at least 30 pairs whose x differ by at least 1.
 * @param eta variance of the errors of y by that of x
 */
export function magnitudeRegressions(points: Points, eta: number): Estimate<MagnitudeRegressions> {
  const { x } = points;
  const n = x.length;
  const none = (reason: string) => noEstimate(reason, n, REQUIRED_FOR_LINES);
  if (n < REQUIRED_FOR_LINES) return none("too few pairs of events with both magnitudes");
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
type ResidualDistribution = NonNullable<ReturnType<typeof residualsOf>>;

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
