import { type Estimate, noEstimate } from "../estimate.ts";
import { REQUIRED_FOR_B } from "./b-value.ts";

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
