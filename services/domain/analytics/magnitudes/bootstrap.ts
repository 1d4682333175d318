import { binOf, type MagnitudeHistogram } from "#contracts/analytics/histogram.ts";
import { normalDistribution, quantileOf } from "../numbers/distributions.ts";
import { drawCounts, seededRandom } from "../numbers/random.ts";
import { type BEstimator, bValueOf, excessFrom } from "./b-value.ts";

export type BootstrapOfB = {
  readonly samples: number;
  readonly seed: number;
  /** Standard deviation of b. */
  readonly sigma: number;
  /** The interval that holds 95 % of the samples. */
  readonly p025: number;
  readonly p975: number;
  /** Where magnitudes are moved by their uncertainties: the events that have one. */
  readonly moved?: number;
};

export type BootstrapOptions = {
  readonly estimator: BEstimator;
  readonly samples: number;
  readonly seed: number;
};

/** b of catalogues drawn with replacement from the events of a bin and above (Efron 1979). */
export function bootstrapB(
  { binWidth, first, counts }: MagnitudeHistogram,
  bin: number,
  options: BootstrapOptions,
): BootstrapOfB {
  const above = counts.slice(Math.max(0, bin - first));
  return drawnFrom({ binWidth, first: Math.max(first, bin), counts: above }, bin, options);
}

/**
 * The same of catalogues drawn from all events, each drawn magnitude moved by its own uncertainty: events from below
 * the bin may then lie above it.
 *
 * A drawn event is of a class by its share of all events and falls into a bin by the normal distribution. The numbers
 * of the bins are therefore those of as many draws from the histogram of all moved magnitudes.
 */
export function bootstrapMovedB(
  classes: readonly MagnitudeClass[],
  binWidth: number,
  bin: number,
  options: BootstrapOptions,
): BootstrapOfB & { readonly moved: number } {
  const moved = classes.reduce((sum, { sigma, events }) => sum + (sigma > 0 ? events : 0), 0);
  return { ...drawnFrom(movedHistogram(classes, binWidth), bin, options), moved };
}

/** b from a bin up of catalogues that are drawn from all events of a histogram. */
function drawnFrom(
  { binWidth, first, counts }: MagnitudeHistogram,
  bin: number,
  { estimator, samples, seed }: BootstrapOptions,
): BootstrapOfB {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let rest = all;
  const shares = counts.map((count, i) => {
    const share = rest <= 0 || i === counts.length - 1 ? 1 : Math.min(1, count / rest);
    rest -= count;
    return share;
  });
  const random = seededRandom(seed);
  const drawn = new Float64Array(counts.length);
  const values = new Float64Array(samples);
  for (let i = 0; i < samples; i++) {
    drawCounts(drawn, Math.round(all), { shares, random });
    const sample = { binWidth, first, counts: Array.from(drawn) };
    values[i] = bValueOf(excessFrom(sample, bin), estimator, binWidth).b;
  }
  // A sample of a single magnitude has no b.
  const finite = values.filter(Number.isFinite).sort();
  const mean = finite.reduce((sum, b) => sum + b, 0) / finite.length;
  const squares = finite.reduce((sum, b) => sum + (b - mean) ** 2, 0);
  return {
    samples,
    seed,
    sigma: Math.sqrt(squares / (finite.length - 1)),
    p025: quantileOf(finite, 0.025),
    p975: quantileOf(finite, 0.975),
  };
}

/** Events that share a magnitude and its uncertainty; `sigma` 0 is an unknown one. */
export type MagnitudeClass = {
  readonly magnitude: number;
  readonly sigma: number;
  readonly events: number;
};

/** Beyond so many σ there are fewer than one event in 10¹⁵. */
const TAIL = 8;
/** Magnitudes are moved no further: whatever is beyond is at the end. */
const LEAST = -30;
const GREATEST = 30;

/**
 * The numbers of events in bins that are expected when each magnitude is moved by its own uncertainty, normally
 * distributed. They are no whole numbers.
 */
export function movedHistogram(
  classes: readonly MagnitudeClass[],
  binWidth: number,
): MagnitudeHistogram {
  const ends = classes.map(({ magnitude, sigma }) => ({
    from: binWithin(magnitude - TAIL * sigma, binWidth),
    to: binWithin(magnitude + TAIL * sigma, binWidth),
  }));
  const first = ends.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
  const last = ends.reduce((greatest, { to }) => Math.max(greatest, to), Number.NEGATIVE_INFINITY);
  if (first > last) return { binWidth, first: 0, counts: [] };
  const counts = new Array<number>(last - first + 1).fill(0);
  const add = (bin: number, events: number) => {
    counts[bin - first] = (counts[bin - first] ?? 0) + events;
  };
  for (const [i, { magnitude, sigma, events }] of classes.entries()) {
    const { from = first, to = first } = ends[i] ?? {};
    let below = 0;
    for (let bin = from; bin < to; bin++) {
      const edge = (bin + 0.5) * binWidth;
      const share = normalDistribution((edge - magnitude) / sigma);
      add(bin, (share - below) * events);
      below = share;
    }
    add(to, (1 - below) * events);
  }
  return { binWidth, first, counts };
}

function binWithin(magnitude: number, binWidth: number): number {
  return binOf(Math.min(GREATEST, Math.max(LEAST, magnitude)), binWidth);
}
