/** Counts of magnitudes in bins of equal width, empty ones too, from the lowest bin with an event on. */
export type MagnitudeHistogram = {
  /** In magnitude units. */
  readonly binWidth: number;
  /** Bin of `counts[0]`; its centre is `first` · `binWidth`. */
  readonly first: number;
  readonly counts: readonly number[];
};

/** So that a magnitude on the edge of a bin, such as 1.65 at a width of 0.1, belongs to the upper one. */
const TOLERANCE = 1e-12;

/** The bin of a magnitude: k = ⌊m / Δ + 0.5 + 10⁻¹²⌋, whose centre is k · Δ. */
export function binOf(magnitude: number, binWidth: number): number {
  return Math.floor(magnitude / binWidth + (0.5 + TOLERANCE));
}

const DIGITS = 10;

/** The centre of a bin, without the error of binary fractions: 19 bins of 0.1 are 1.9. */
export function magnitudeOf(bin: number, binWidth: number): number {
  return Number((bin * binWidth).toFixed(DIGITS));
}

export function histogramOf(magnitudes: Iterable<number>, binWidth: number): MagnitudeHistogram {
  const byBin = new Map<number, number>();
  for (const magnitude of magnitudes) {
    const bin = binOf(magnitude, binWidth);
    byBin.set(bin, (byBin.get(bin) ?? 0) + 1);
  }
  return histogramOfBins(byBin, binWidth);
}

/** @param byBin the counts of bins, in any order; those left out are empty */
export function histogramOfBins(
  byBin: ReadonlyMap<number, number>,
  binWidth: number,
): MagnitudeHistogram {
  if (byBin.size === 0) return { binWidth, first: 0, counts: [] };
  const first = Math.min(...byBin.keys());
  const length = Math.max(...byBin.keys()) - first + 1;
  return {
    binWidth,
    first,
    counts: Array.from({ length }, (_, i) => byBin.get(first + i) ?? 0),
  };
}

/** The counts of all types together, by bin, with the empty bins between. */
export function histogramOfCounts(
  counts: Iterable<{ readonly value: number | null; readonly count: number }>,
  binWidth: number,
): MagnitudeHistogram {
  const byBin = new Map<number, number>();
  for (const { value, count } of counts) {
    if (value !== null) byBin.set(value, (byBin.get(value) ?? 0) + count);
  }
  return histogramOfBins(byBin, binWidth);
}

/** Each bin with the number of events from it up. */
export function binsOf({ binWidth, first, counts }: MagnitudeHistogram) {
  let cumulative = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count, i) => {
    const bin = { magnitude: magnitudeOf(first + i, binWidth), count, cumulative };
    cumulative -= count;
    return bin;
  });
}
