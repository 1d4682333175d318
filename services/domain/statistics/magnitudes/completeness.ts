import { binOf, type MagnitudeHistogram, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { type Estimate, noEstimate } from "../estimate.ts";
import type { Warning } from "../warning.ts";
import { stableBin } from "./b-stability.ts";
import { fitEntireRange, REQUIRED_BELOW } from "./entire-range.ts";
import { excessFrom } from "./excess.ts";
import { type FitOptions, fitsByBin } from "./fits-by-bin.ts";
import { firstReaching, type GoodnessOfFit, goodnessOfFit } from "./goodness-of-fit.ts";
import { modalBin } from "./maximum-curvature.ts";

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
  const levels = {
    mc90: place(at90),
    r90: at90?.r ?? null,
    mc95: place(at95),
    r95: at95?.r ?? null,
  };
  const points = fits.map(({ bin, n, b, sigma, r }) => ({
    magnitude: magnitudeOf(bin, binWidth),
    n,
    b,
    sigma,
    r,
  }));
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
  const fits = fitsByBin(histogram, options).map(({ bin, n, b, sigma }) => ({
    magnitude: magnitudeOf(bin, histogram.binWidth),
    n,
    b,
    sigma,
  }));
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
  return noEstimate(
    reason,
    counts.reduce((sum, count) => sum + count, 0),
    minEvents,
  );
}
