import type { MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import { type BinFit, type FitOptions, fitsByBin } from "./fits-by-bin.ts";

/** How well the Gutenberg–Richter law describes the events from a bin up. */
export type GoodnessOfFit = BinFit & {
  /** Percent, 100 for a perfect fit. */
  readonly r: number;
};

/**
 * R = 100 − 100 · Σ|N_j − S_j| / ΣN_j from each bin i up to the last filled one, where N_j are the
 * events from bin j up and S_j = N_i · 10^(−b (M_j − M_i)) those expected (Wiemer & Wyss 2000).
 */
export function goodnessOfFit(histogram: MagnitudeHistogram, options: FitOptions): GoodnessOfFit[] {
  const cumulative = cumulativeCounts(histogram.counts);
  return fitsByBin(histogram, options).map((fit) => {
    const above = cumulative.slice(fit.bin - histogram.first);
    let missed = 0;
    let total = 0;
    above.forEach((count, j) => {
      missed += Math.abs(count - fit.n * 10 ** (-fit.b * j * histogram.binWidth));
      total += count;
    });
    return { ...fit, r: 100 - (100 * missed) / total };
  });
}

/** The lowest bin whose fit reaches a percentage. */
export function firstReaching(fits: readonly GoodnessOfFit[], percent: number) {
  return fits.find(({ r }) => r >= percent) ?? null;
}

function cumulativeCounts(counts: readonly number[]): number[] {
  let rest = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => {
    const here = rest;
    rest -= count;
    return here;
  });
}
