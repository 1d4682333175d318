import { type MagnitudeHistogram, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { type BValue, bValueOf } from "./b-value.ts";
import { type DetectionFit, fitDetection } from "./detection-fit.ts";
import { excessFrom } from "./excess.ts";
import type { FitOptions } from "./fits-by-bin.ts";
import { modalBin } from "./maximum-curvature.ts";

/** The magnitude of completeness is sought within so many magnitude units of the most frequent one. */
const AROUND_MODE = 0.4;

/** Bins below the magnitude of completeness, without which the detection cannot be fitted. */
export const REQUIRED_BELOW = 4;

export type EntireRangeFit = {
  readonly bin: number;
  readonly fit: BValue;
  readonly detection: DetectionFit;
};

/**
 * The magnitude of completeness with the most likely model of all magnitudes (Woessner & Wiemer 2005):
 * below it the expected count of a bin is n(Mc) · Φ((M − μ) / σ), from it up
 * N(≥ Mc) · e^(−β (M − Mc)) · (1 − e^(−βΔ)).
 */
export function fitEntireRange(
  histogram: MagnitudeHistogram,
  { estimator, minEvents }: FitOptions,
): EntireRangeFit | null {
  const { binWidth, first, counts } = histogram;
  const mode = modalBin(histogram);
  if (mode === null) return null;
  const around = Math.round(AROUND_MODE / binWidth);
  let best: EntireRangeFit | null = null;
  let lowest = Number.POSITIVE_INFINITY;
  for (let bin = Math.max(mode - around, first + REQUIRED_BELOW); bin <= mode + around; bin++) {
    const excess = excessFrom(histogram, bin);
    if (excess.n < minEvents || excess.filled < 2) break;
    const below = counts.slice(0, bin - first);
    const magnitudes = below.map((_, i) => magnitudeOf(first + i, binWidth));
    const detection = fitDetection(magnitudes, below, counts[bin - first] ?? 0);
    if (detection === null) continue;
    const fit = bValueOf(excess, estimator, binWidth);
    const cost = detection.cost + costAbove(counts.slice(bin - first), fit, binWidth);
    if (cost < lowest) {
      lowest = cost;
      best = { bin, fit, detection };
    }
  }
  return best;
}

function costAbove(counts: readonly number[], { n, b }: BValue, binWidth: number): number {
  const decay = b * Math.LN10 * binWidth;
  const share = n * -Math.expm1(-decay);
  return counts.reduce(
    (sum, count, i) => sum + share * Math.exp(-decay * i) - count * (Math.log(share) - decay * i),
    0,
  );
}
