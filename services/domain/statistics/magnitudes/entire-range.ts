import { type MagnitudeHistogram, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { normalDensity, normalDistribution } from "../numbers/normal.ts";
import { type BValue, bValueOf } from "./b-value.ts";
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

/** How many events a network detects below the magnitude of completeness. */
type DetectionFit = {
  /** Magnitude of which half of the events are detected. */
  readonly mu: number;
  /** Magnitude units; the smaller, the more sudden the loss of events. */
  readonly sigma: number;
  /** Σ(λ − n ln λ) over the bins: the negative logarithm of the likelihood but for a constant. */
  readonly cost: number;
};

const MAX_STEPS = 100;
const MAX_HALVINGS = 40;
const CONVERGED = 1e-13;

/**
 * The most likely μ and σ of λ = A · Φ((M − μ) / σ), the expected counts of bins below the magnitude of
 * completeness, by Fisher scoring in 1/σ and −μ/σ with steps halved until they improve.
 * @param magnitudes centres of the bins, ascending
 * @param amplitude A, the count that λ tends to
 * @returns null where no such curve fits
 */
function fitDetection(
  magnitudes: readonly number[],
  counts: readonly number[],
  amplitude: number,
): DetectionFit | null {
  const last = magnitudes.at(-1) ?? 0;
  const xs = magnitudes.map((m) => m - last);
  const half = xs[counts.findIndex((n) => n >= amplitude / 2)] ?? 0;
  const costAt = (shift: number, slope: number) => {
    const terms = xs.map((x, i) => {
      const expected = amplitude * normalDistribution(shift + slope * x);
      const n = counts[i] ?? 0;
      return expected - (n === 0 ? 0 : n * Math.log(expected));
    });
    return terms.reduce((sum, term) => sum + term, 0);
  };
  let slope = 4;
  let shift = -slope * half;
  let cost = costAt(shift, slope);
  for (let step = 0; step < MAX_STEPS; step++) {
    const [byShift, bySlope] = scoringStep(xs, counts, { amplitude, shift, slope });
    let scale = 1;
    let next = costAt(shift + byShift, slope + bySlope);
    for (let i = 0; i < MAX_HALVINGS && !(next < cost); i++) {
      scale /= 2;
      next = costAt(shift + scale * byShift, slope + scale * bySlope);
    }
    if (!(next < cost)) break;
    shift += scale * byShift;
    slope += scale * bySlope;
    const gain = cost - next;
    cost = next;
    if (gain <= CONVERGED * Math.abs(cost)) break;
  }
  if (!(slope > 0) || !Number.isFinite(cost)) return null;
  return { mu: last - shift / slope, sigma: 1 / slope, cost };
}

type Curve = { readonly amplitude: number; readonly shift: number; readonly slope: number };

/** The inverse of the expected information times the gradient of the logarithm of the likelihood. */
function scoringStep(
  xs: readonly number[],
  counts: readonly number[],
  { amplitude, shift, slope }: Curve,
): readonly [shift: number, slope: number] {
  let [g0, g1, h00, h01, h11] = [0, 0, 0, 0, 0];
  xs.forEach((x, i) => {
    const z = shift + slope * x;
    const expected = amplitude * normalDistribution(z);
    if (expected === 0) return;
    const change = amplitude * normalDensity(z);
    const residual = ((counts[i] ?? 0) / expected - 1) * change;
    const weight = (change * change) / expected;
    g0 += residual;
    g1 += residual * x;
    h00 += weight;
    h01 += weight * x;
    h11 += weight * x * x;
  });
  const determinant = h00 * h11 - h01 * h01;
  return [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant];
}
