import { compensatedSum } from "#services/domain/statistics/numbers/compensated-sum.ts";
import { quantileOf } from "#services/domain/statistics/numbers/quantile.ts";

/** Seconds between each event and the next. @param times ascending, milliseconds since 1970 */
export function intervalsOf(times: ArrayLike<number>): Float64Array {
  const intervals = new Float64Array(Math.max(0, times.length - 1));
  for (let i = 0; i < intervals.length; i++) {
    intervals[i] = ((times[i + 1] ?? 0) - (times[i] ?? 0)) / 1000;
  }
  return intervals;
}

export type IntervalStatistics = {
  /** Intervals, one less than events. */
  readonly n: number;
  /** Seconds. */
  readonly mean: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Standard deviation (n − 1) by mean: 1 for a Poisson process, more for clusters. */
  readonly cv: number;
};

/** Statistics of intervals; the coefficient of variation is after Kagan and Jackson 1991. NaN for fewer than two. */
export function intervalStatistics(intervals: Float64Array): IntervalStatistics {
  const n = intervals.length;
  const ascending = intervals.toSorted();
  const mean = compensatedSum(intervals) / n;
  const squares = compensatedSum(intervals.map((interval) => (interval - mean) ** 2));
  return {
    n,
    mean,
    median: quantileOf(ascending, 0.5),
    min: ascending[0] ?? Number.NaN,
    max: ascending.at(-1) ?? Number.NaN,
    cv: Math.sqrt(squares / (n - 1)) / mean,
  };
}

/** So that 1 s, 10 s … belong to the bin that begins with them. */
const TOLERANCE = 1e-9;

/** The bin of an interval above 0: ⌊log₁₀(seconds) / width⌋. @param width in decades */
export function logBinOf(seconds: number, width: number): number {
  return Math.floor(Math.log10(seconds) / width + TOLERANCE);
}
