import { quantileOf } from "#services/domain/statistics/numbers/quantile.ts";
import {
  type Bins,
  PERCENTILES,
  type ValueDistribution,
  valueBins,
} from "#services/domain/statistics/quality/value-distribution.ts";

/** So that 0.3 belongs to the bin that begins there, whatever the division leaves. */
const TOLERANCE = 1e-9;

/** The bin of a value of at least 0. */
export function valueBinOf(value: number, { width, count }: Bins): number {
  return Math.min(count, Math.floor(value / width + TOLERANCE));
}

/**
 * Percentiles (type 7) and histogram of an attribute; missing values are counted apart from zeros.
 * @param zeroIsUnknown an uncertainty, RMS or gap of exactly 0 is no measurement
 */
export function distributionOf(
  values: Iterable<number | null>,
  { zeroIsUnknown, bins }: { readonly zeroIsUnknown: boolean; readonly bins: Bins },
): ValueDistribution {
  let missing = 0;
  let zeros = 0;
  const known: number[] = [];
  for (const value of values) {
    if (value === null) missing++;
    if (value === 0) zeros++;
    if (value !== null && !(zeroIsUnknown && value === 0)) known.push(value);
  }
  const ascending = Float64Array.from(known).sort();
  const counts = new Map<number, number>();
  for (const value of ascending) {
    const bin = valueBinOf(value, bins);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  const percentile = (fraction: number) =>
    ascending.length === 0 ? null : quantileOf(ascending, fraction);
  return {
    n: ascending.length,
    missing,
    zeros,
    p05: percentile(PERCENTILES.p05),
    p25: percentile(PERCENTILES.p25),
    p50: percentile(PERCENTILES.p50),
    p75: percentile(PERCENTILES.p75),
    p95: percentile(PERCENTILES.p95),
    bins: valueBins(counts, bins),
  };
}
