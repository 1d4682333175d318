/**
 * The law of Gutenberg and Richter: its b-value, also of periods of different completeness, and
 * its rates.
 */

import type { MagnitudeHistogram } from "#contracts/analytics/histogram.ts";
import { type Estimate, noEstimate } from "../numbers/numerics.ts";

export type BEstimator = "tinti-mulargia" | "utsu" | "aki";

/** What a b-value needs: events from Mc up, and bins with events. */
const REQUIRED_FOR_B = { events: 10, bins: 3 } as const;

/** b from m̄ − Mc and the width of the bins Δ, magnitude units. */
const FORMULAS: Record<BEstimator, (meanExcess: number, binWidth: number) => number> = {
  /** b = ln(1 + Δ / (m̄ − Mc)) / (Δ · ln10): exact for bins (Tinti & Mulargia 1987). */
  "tinti-mulargia": (meanExcess, binWidth) =>
    Math.log1p(binWidth / meanExcess) / (binWidth * Math.LN10),
  /** b = log e / (m̄ − Mc + Δ/2): close for narrow bins (Utsu 1966). */
  utsu: (meanExcess, binWidth) => Math.LOG10E / (meanExcess + binWidth / 2),
  /** b = log e / (m̄ − Mc): for continuous magnitudes (Aki 1965). */
  aki: (meanExcess) => Math.LOG10E / meanExcess,
};

export type BValue = ReturnType<typeof bValueOf>;

/** b with its errors, whatever the number of events. @param binWidth magnitude units; 0 for continuous ones */
export function bValueOf(excess: Excess, estimator: BEstimator, binWidth: number) {
  const { n, mean, squares } = excess;
  const b = FORMULAS[binWidth === 0 ? "aki" : estimator](mean, binWidth);
  return {
    n,
    b,
    /** Standard error of b: ln10 · b² · √(Σ(m − m̄)² / (n(n − 1))) (Shi & Bolt 1982). */
    sigma: Math.LN10 * b * b * Math.sqrt(squares / (n * (n - 1))),
    /** Standard error of b: b / √n (Aki 1965). */
    sigmaAki: b / Math.sqrt(n),
    /** b · (n − 1) / n: the expected b of n magnitudes is too large by n / (n − 1) (Marzocchi et al. 2020). */
    bUnbiased: (b * (n - 1)) / n,
  };
}

/** b of the magnitudes from Mc up, where they are enough. */
export function estimateB(
  excess: Excess,
  estimator: BEstimator,
  binWidth: number,
): Estimate<BValue> {
  const { n, filled, mean } = excess;
  const { events, bins } = REQUIRED_FOR_B;
  if (n < events) {
    return noEstimate("too few events from the magnitude of completeness up", n, events);
  }
  if (filled < bins || mean <= 0) {
    return noEstimate("too few unlike magnitudes from that of completeness up", filled, bins);
  }
  return { estimate: bValueOf(excess, estimator, binWidth) };
}

/**
 * The excess m − Mc of the magnitudes from Mc up: all that a b-value depends on. Of binned magnitudes
 * it is that of the bins' centres.
 */
export type Excess = ReturnType<typeof excessFrom>;

/**
 * The excess over the centre of a bin, of the events in it and above. `filled` are bins with events, or unlike
 * magnitudes; `mean` is m̄ − Mc in magnitude units, NaN without events; `squares` Σ(m − m̄)² in magnitude units squared.
 */
export function excessFrom({ binWidth, first, counts }: MagnitudeHistogram, bin: number) {
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

/** A bin of magnitudes and the years for which it is complete. */
export type ObservedBin = {
  /** Its centre. */
  readonly magnitude: number;
  /** Events within those years. */
  readonly count: number;
  readonly years: number;
};

export type WeichertFit = {
  readonly n: number;
  readonly b: number;
  /** Standard error of b. */
  readonly sigma: number;
  /** Events per year of the lowest bin's magnitude and above, up to the highest bin's. */
  readonly annualRate: number;
};

const MAX_BETA = 100;
const BISECTIONS = 200;

/**
 * b where the larger magnitudes are complete for longer (Weichert 1980, equations 5 and 9): β solves
 * Σ tᵢmᵢe^(−βmᵢ) / Σ tᵢe^(−βmᵢ) = Σ nᵢmᵢ / N, and b = β / ln10.
 * @param bins all from the lowest complete to the largest possible magnitude, empty ones too
 */
export function weichert(bins: readonly ObservedBin[]): Estimate<WeichertFit> {
  const n = bins.reduce((sum, { count }) => sum + count, 0);
  const filled = bins.filter(({ count }) => count > 0).length;
  if (n < REQUIRED_FOR_B.events) {
    return noEstimate("too few events within the complete years", n, REQUIRED_FOR_B.events);
  }
  const mean = bins.reduce((sum, { count, magnitude }) => sum + count * magnitude, 0) / n;
  if (filled < 2) {
    return noEstimate("too few unlike magnitudes within the complete years", filled, 2);
  }
  // The expected mean falls as β rises, so there is one β, and it can be bracketed.
  let low = -MAX_BETA;
  let high = MAX_BETA;
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (low + high) / 2;
    if (momentsAt(bins, middle).mean > mean) low = middle;
    else high = middle;
  }
  const beta = (low + high) / 2;
  const { variance, years } = momentsAt(bins, beta);
  return {
    estimate: {
      n,
      b: beta / Math.LN10,
      sigma: 1 / Math.sqrt(n * variance) / Math.LN10,
      annualRate: n / years,
    },
  };
}

/** Of the magnitudes expected for β: mean, variance, and the years that the rate of all relates to. */
function momentsAt(bins: readonly ObservedBin[], beta: number) {
  const lowest = bins[0]?.magnitude ?? 0;
  const highest = bins.at(-1)?.magnitude ?? 0;
  // The largest of the exponentials is 1, so none overflows.
  const origin = beta > 0 ? lowest : highest;
  let [all, weight, first, second] = [0, 0, 0, 0];
  for (const { magnitude, years } of bins) {
    const x = magnitude - origin;
    const share = Math.exp(-beta * x);
    all += share;
    weight += years * share;
    first += years * share * x;
    second += years * share * x * x;
  }
  const mean = first / weight;
  return { mean: origin + mean, variance: second / weight - mean * mean, years: weight / all };
}

/**
 * a of the events per year, log N(≥ M) = a − bM: a = log(N(≥ Mc) / T) + b · Mc
 * (Gutenberg & Richter 1944).
 * @param years T
 */
export function annualA(n: number, { b, mc, years }: { b: number; mc: number; years: number }) {
  return Math.log10(n / years) + b * mc;
}

/** Events per year of at least a magnitude: 10^(a − bM). */
export function annualRate(magnitude: number, { a, b }: { a: number; b: number }): number {
  return 10 ** (a - b * magnitude);
}
