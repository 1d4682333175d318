import type { MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import { type BEstimator, type BValue, bValueOf } from "./b-value.ts";
import { excessFrom } from "./excess.ts";

/** The b-value as it would be if the magnitude of completeness were that of a bin. */
export type BinFit = BValue & { readonly bin: number };

export type FitOptions = {
  readonly estimator: BEstimator;
  /** Events that a fit needs. */
  readonly minEvents: number;
};

/** The b-value from each bin up, from the lowest to the last with enough events of unlike magnitude. */
export function fitsByBin(
  histogram: MagnitudeHistogram,
  { estimator, minEvents }: FitOptions,
): BinFit[] {
  const fits: BinFit[] = [];
  for (let i = 0; i < histogram.counts.length; i++) {
    const bin = histogram.first + i;
    const excess = excessFrom(histogram, bin);
    if (excess.n < minEvents || excess.filled < 2) break;
    fits.push({ bin, ...bValueOf(excess, estimator, histogram.binWidth) });
  }
  return fits;
}
