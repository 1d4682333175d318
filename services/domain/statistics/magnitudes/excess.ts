import type { MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";

/**
 * The excess m − Mc of the magnitudes from Mc up: all that a b-value depends on. Of binned magnitudes
 * it is that of the bins' centres.
 */
export type Excess = {
  readonly n: number;
  /** Bins with events, or unlike magnitudes. */
  readonly filled: number;
  /** m̄ − Mc, magnitude units; NaN without events. */
  readonly mean: number;
  /** Σ(m − m̄)², magnitude units squared. */
  readonly squares: number;
};

/** The excess over the centre of a bin, of the events in it and above. */
export function excessFrom({ binWidth, first, counts }: MagnitudeHistogram, bin: number): Excess {
  const above = counts.slice(Math.max(0, bin - first));
  const offset = Math.max(0, first - bin);
  let n = 0;
  let filled = 0;
  let steps = 0;
  above.forEach((count, i) => {
    n += count;
    if (count > 0) filled++;
    steps += count * (i + offset);
  });
  const mean = steps / n;
  const squares = above.reduce((sum, count, i) => sum + count * (i + offset - mean) ** 2, 0);
  return { n, filled, mean: mean * binWidth, squares: squares * binWidth * binWidth };
}
