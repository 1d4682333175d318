import { quantileOf } from "../numbers/quantile.ts";

/** The standard deviation of a normal distribution by its median absolute deviation. */
const SIGMA_BY_MAD = 1.4826;

/** How differences are distributed, in their own unit. */
export type ResidualDistribution = {
  readonly n: number;
  readonly median: number;
  /** 1.4826 · the median absolute deviation from the median: a σ that outliers do not move. */
  readonly sigma: number;
  readonly p05: number;
  readonly p95: number;
};

/**
 * Median, robust σ (Hampel 1974) and the quantiles of 5 and 95 % (type 7) of differences.
 * @param values NaN for those that are not known, which are left out
 * @returns null where none is known
 */
export function residualsOf(values: Float64Array): ResidualDistribution | null {
  const known = values.filter((value) => !Number.isNaN(value)).sort();
  if (known.length === 0) return null;
  const median = quantileOf(known, 0.5);
  return {
    n: known.length,
    median,
    sigma: SIGMA_BY_MAD * medianOf(known.map((value) => Math.abs(value - median))),
    p05: quantileOf(known, 0.05),
    p95: quantileOf(known, 0.95),
  };
}

/** @returns NaN for no values */
export function medianOf(values: Float64Array): number {
  return quantileOf(values.toSorted(), 0.5);
}
