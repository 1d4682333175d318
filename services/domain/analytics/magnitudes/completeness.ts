import { binOf, type MagnitudeHistogram, magnitudeOf } from "#contracts/analytics/histogram.ts";
import { normalDensity, normalDistribution } from "../numbers/distributions.ts";
import { type Estimate, noEstimate, type Warning } from "../numbers/numerics.ts";
import {
  type BinFit,
  type BValue,
  bValueOf,
  excessFrom,
  type FitOptions,
  fitsByBin,
} from "./b-value.ts";
import { type KsFit, type LillieforsFit, PASSING_P } from "./law-tests.ts";

/** A magnitude of completeness, the events from it up, and what its method found. */
export type Completeness = {
  readonly mc: number;
  readonly n: number;
  /** The most frequent magnitude. */
  readonly mode?: number;
  readonly b?: number;
  /** Standard error of b. */
  readonly sigmaB?: number;
  /** Lowest magnitudes with fits of 90 and 95 percent, and those percentages. */
  readonly mc90?: number | null;
  readonly r90?: number | null;
  readonly mc95?: number | null;
  readonly r95?: number | null;
  /** Of the network's detection, as `DetectionFit` has them. */
  readonly mu?: number;
  readonly sigma?: number;
  /** Distance from the law, the same made independent of n, and its probability. */
  readonly d?: number;
  readonly dStar?: number;
  readonly p?: number;
};

/** The law's fit from a magnitude up. */
export type LawFit = {
  readonly magnitude: number;
  readonly n: number;
  readonly b?: number;
  /** Standard error of b. */
  readonly sigma?: number;
  readonly r?: number;
  readonly d?: number;
  readonly dStar?: number;
  readonly p?: number;
};

export type FoundCompleteness = {
  readonly outcome: Estimate<Completeness>;
  readonly fits?: readonly LawFit[];
  readonly warnings?: readonly Warning[];
};

export type CompletenessOptions = FitOptions & {
  /** Added to the most frequent magnitude by maximum curvature; magnitude units. */
  readonly correction: number;
};

/** The most frequent magnitude and a correction, 0.2 by experience (Woessner & Wiemer 2005). */
export function byMaximumCurvature(
  histogram: MagnitudeHistogram,
  { correction }: Pick<CompletenessOptions, "correction">,
): FoundCompleteness {
  const { binWidth } = histogram;
  const modal = modalBin(histogram);
  if (modal === null) return { outcome: noEstimate("no event has a magnitude", 0, 1) };
  const mode = magnitudeOf(modal, binWidth);
  const bin = binOf(mode + correction, binWidth);
  return { outcome: { estimate: { ...at(histogram, bin), mode } } };
}

/** The lowest magnitude with a fit of 95 percent, else of 90, else that of maximum curvature. */
export function byGoodnessOfFit(
  histogram: MagnitudeHistogram,
  options: CompletenessOptions,
): FoundCompleteness {
  const { binWidth } = histogram;
  const fits = goodnessOfFit(histogram, options);
  const [at90, at95] = [firstReaching(fits, 90), firstReaching(fits, 95)];
  const place = (fit: GoodnessOfFit | null) => fit && magnitudeOf(fit.bin, binWidth);
  const [r90, r95] = [at90?.r ?? null, at95?.r ?? null];
  const levels = { mc90: place(at90), r90, mc95: place(at95), r95 };
  const points = fits.map(({ bin, n, b, sigma, r }) => {
    const magnitude = magnitudeOf(bin, binWidth);
    return { magnitude, n, b, sigma, r };
  });
  const best = at95 ?? at90;
  if (best !== null) {
    const estimate = { ...at(histogram, best.bin), b: best.b, sigmaB: best.sigma, ...levels };
    return { outcome: { estimate }, fits: points };
  }
  const { outcome } = byMaximumCurvature(histogram, options);
  if (outcome.estimate === null) return { outcome };
  const { mc, n } = outcome.estimate;
  const message = "no fit reaches 90 percent: this is the magnitude of maximum curvature";
  return {
    outcome: { estimate: { mc, n, ...levels } },
    fits: points,
    warnings: [{ code: "NO_GOOD_FIT", message }],
  };
}

/** The lowest magnitude from which b is stable. */
export function byStability(
  histogram: MagnitudeHistogram,
  options: CompletenessOptions,
): FoundCompleteness {
  const fits = fitsByBin(histogram, options).map(({ bin, n, b, sigma }) => {
    const magnitude = magnitudeOf(bin, histogram.binWidth);
    return { magnitude, n, b, sigma };
  });
  const stable = stableBin(histogram, options);
  if (stable === null)
    return { outcome: none("b is stable from no magnitude up", histogram, options), fits };
  const { bin, b, sigma: sigmaB } = stable;
  return { outcome: { estimate: { ...at(histogram, bin), b, sigmaB } }, fits };
}

/** The magnitude with the most likely model of all magnitudes. */
export function byEntireRange(
  histogram: MagnitudeHistogram,
  options: CompletenessOptions,
): FoundCompleteness {
  const model = fitEntireRange(histogram, options);
  if (model === null) {
    const reason = `no model fits: there must be ${REQUIRED_BELOW} bins below the magnitude of completeness`;
    return { outcome: none(reason, histogram, options) };
  }
  const { b, sigma: sigmaB } = model.fit;
  const { mu, sigma } = model.detection;
  return { outcome: { estimate: { ...at(histogram, model.bin), b, sigmaB, mu, sigma } } };
}

function at(histogram: MagnitudeHistogram, bin: number): { mc: number; n: number } {
  return { mc: magnitudeOf(bin, histogram.binWidth), n: excessFrom(histogram, bin).n };
}

function none(reason: string, { counts }: MagnitudeHistogram, { minEvents }: FitOptions) {
  const n = counts.reduce((sum, count) => sum + count, 0);
  return noEstimate(reason, n, minEvents);
}

type TestedFit = (KsFit | LillieforsFit) & { readonly n: number };

/** The lowest magnitude from which a test does not refuse the law: the last that was tested, if any. */
export function byTest(
  fits: readonly TestedFit[],
  { binWidth, events }: { readonly binWidth: number; readonly events: number },
): FoundCompleteness {
  const points = fits.map((fit) => shownOf(fit, binWidth));
  const last = points.at(-1);
  const reason = "the law is refused from every magnitude with enough events up";
  const outcome: Estimate<Completeness> =
    last === undefined || last.p < PASSING_P
      ? noEstimate(reason, events, 1)
      : { estimate: estimateOf(last) };
  return { outcome, fits: points };
}

function shownOf(fit: TestedFit, binWidth: number) {
  const { bin, n, d, p } = fit;
  const magnitude = magnitudeOf(bin, binWidth);
  if ("dStar" in fit) return { magnitude, n, d, dStar: fit.dStar, p };
  return { magnitude, n, b: fit.b, sigma: fit.sigma, d, p };
}

function estimateOf({ magnitude, ...fit }: ReturnType<typeof shownOf>): Completeness {
  if ("dStar" in fit) return { mc: magnitude, ...fit };
  const { n, b, sigma, d, p } = fit;
  return { mc: magnitude, n, b, sigmaB: sigma, d, p };
}

/** The bin with the most events, the lowest of several (Wiemer & Wyss 2000); null without events. */
export function modalBin({ first, counts }: MagnitudeHistogram): number | null {
  let most = 0;
  let mode: number | null = null;
  counts.forEach((count, i) => {
    if (count > most) {
      most = count;
      mode = first + i;
    }
  });
  return mode;
}

/** Distance of the mode from the lowest magnitude, in bins, that a complete catalogue would not have. */
const CUT_WITHIN = 2;

/**
 * Whether the catalogue seems to have been cut off from below: its most frequent magnitude is (nearly)
 * its lowest, so nothing can be seen of its becoming incomplete.
 */
export function isCut(histogram: MagnitudeHistogram): boolean {
  const mode = modalBin(histogram);
  return mode !== null && mode - histogram.first <= CUT_WITHIN;
}

/** How well the Gutenberg–Richter law describes the events from a bin up. */
type GoodnessOfFit = BinFit & {
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

/** The magnitude of completeness is sought within so many magnitude units of the most frequent one. */
const AROUND_MODE = 0.4;

/** Bins below the magnitude of completeness, without which the detection cannot be fitted. */
const REQUIRED_BELOW = 4;

export type EntireRangeFit = {
  readonly bin: number;
  readonly fit: BValue;
  readonly detection: NonNullable<ReturnType<typeof fitDetection>>;
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

const MAX_STEPS = 100;
const MAX_HALVINGS = 40;
const CONVERGED = 1e-13;

/**
 * The most likely μ and σ of λ = A · Φ((M − μ) / σ), the expected counts of bins below the magnitude of
 * completeness, by Fisher scoring in 1/σ and −μ/σ with steps halved until they improve.
 * @param magnitudes centres of the bins, ascending
 * @param amplitude A, the count that λ tends to
 * @returns μ, the magnitude of which half of the events are detected; σ in magnitude units: the smaller, the more sudden
 * the loss of events; the cost Σ(λ − n ln λ) over the bins, the negative logarithm of the likelihood but for a constant.
 * Null where no such curve fits
 */
function fitDetection(magnitudes: readonly number[], counts: readonly number[], amplitude: number) {
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

/** The inverse of the expected information times the gradient of the logarithm of the likelihood. */
function scoringStep(
  xs: readonly number[],
  counts: readonly number[],
  { amplitude, shift, slope }: Record<"amplitude" | "shift" | "slope", number>,
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
