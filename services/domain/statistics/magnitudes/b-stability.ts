import type { MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import { type BinFit, type FitOptions, fitsByBin } from "./fits-by-bin.ts";

/** Magnitude units over which b is averaged. */
const RANGE = 0.5;

/**
 * The lowest bin whose b differs from the mean b of the half magnitude from it up by no more than its
 * standard error (Cao & Gao 2002; Woessner & Wiemer 2005, with the error of Shi & Bolt 1982); null
 * where b never becomes stable.
 */
export function stableBin(histogram: MagnitudeHistogram, options: FitOptions): BinFit | null {
  const steps = Math.max(2, Math.round(RANGE / histogram.binWidth));
  const fits = fitsByBin(histogram, options);
  const stable = fits.find((fit, i) => {
    const range = fits.slice(i, i + steps);
    const mean = range.reduce((sum, { b }) => sum + b, 0) / steps;
    return range.length === steps && Math.abs(mean - fit.b) <= fit.sigma;
  });
  return stable ?? null;
}
