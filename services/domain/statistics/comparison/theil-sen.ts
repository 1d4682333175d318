import type { Line, Points } from "./points.ts";
import { medianOf } from "./residuals.ts";
import { createSlopeRanks } from "./slope-ranks.ts";

/** The quantile of the normal distribution for 95 % on two sides. */
const Z_95 = 1.959963984540054;

export type TheilSenLine = Line & {
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
