export const PERCENTILES = { p05: 0.05, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 } as const;
type Percentiles = { readonly [P in keyof typeof PERCENTILES]: number | null };

/** Bins of equal width from 0 on; what lies above the last is in one more. */
export type Bins = { readonly width: number; readonly count: number };

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
