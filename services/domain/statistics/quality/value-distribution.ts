import { quantileOf } from "../numbers/quantile.ts";

export const PERCENTILES = { p05: 0.05, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 } as const;
type Percentiles = { readonly [P in keyof typeof PERCENTILES]: number | null };

/** Bins of equal width from 0 on; what lies above the last is in one more. */
export type Bins = { readonly width: number; readonly count: number };

/** So that 0.3 belongs to the bin that begins there, whatever the division leaves. */
const TOLERANCE = 1e-9;

/** The bin of a value of at least 0. */
export function valueBinOf(value: number, { width, count }: Bins): number {
  return Math.min(count, Math.floor(value / width + TOLERANCE));
}

export type ValueBin = {
  /** Inclusive. */
  readonly from: number;
  /** null for the bin of all above. */
  readonly to: number | null;
  readonly count: number;
};

/** Bins up to the last with a value, empty ones too. @param counts by bin */
export function valueBins(counts: ReadonlyMap<number, number>, { width, count }: Bins): ValueBin[] {
  const edge = (bin: number) => Number((bin * width).toFixed(9));
  return Array.from({ length: Math.max(-1, ...counts.keys()) + 1 }, (_, bin) => ({
    from: edge(bin),
    to: bin === count ? null : edge(bin + 1),
    count: counts.get(bin) ?? 0,
  }));
}

export type ValueDistribution = Percentiles & {
  /** Values that are known: neither missing nor a 0 that stands for unknown. */
  readonly n: number;
  readonly missing: number;
  /** Values of exactly 0. */
  readonly zeros: number;
  readonly bins: readonly ValueBin[];
};

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
