import type { MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import { quantileOf } from "../numbers/quantile.ts";
import { seededRandom } from "../numbers/seeded-random.ts";
import { type BEstimator, bValueOf } from "./b-value.ts";
import { drawCounts } from "./draw-counts.ts";
import { excessFrom } from "./excess.ts";

export type BootstrapOfB = {
  readonly samples: number;
  readonly seed: number;
  /** Standard deviation of b. */
  readonly sigma: number;
  /** The interval that holds 95 % of the samples. */
  readonly p025: number;
  readonly p975: number;
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
  { estimator, samples, seed }: BootstrapOptions,
): BootstrapOfB {
  const above = counts.slice(Math.max(0, bin - first));
  const start = Math.max(first, bin);
  const n = above.reduce((sum, count) => sum + count, 0);
  let rest = n;
  const shares = above.map((count) => {
    const share = rest === 0 ? 1 : count / rest;
    rest -= count;
    return share;
  });
  const random = seededRandom(seed);
  const drawn = new Float64Array(above.length);
  const values = new Float64Array(samples);
  for (let i = 0; i < samples; i++) {
    drawCounts(drawn, n, { shares, random });
    const sample = { binWidth, first: start, counts: Array.from(drawn) };
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
