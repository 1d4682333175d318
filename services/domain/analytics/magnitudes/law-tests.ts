/** Tests of whether magnitudes follow the law of Gutenberg and Richter. */

import { binOf, type MagnitudeHistogram, magnitudeOf } from "#contracts/analytics/histogram.ts";
import { distanceFromUniform } from "../numbers/distributions.ts";
import { firstAtLeast } from "../numbers/numerics.ts";
import { drawCounts, seededRandom } from "../numbers/random.ts";
import { type BinFit, type FitOptions, fitsByBin } from "./b-value.ts";

/** From this probability up the law is not refused. */
export const PASSING_P = 0.1;

const SIMULATIONS = 10_000;

/**
 * A probability far below the passing one is told from it by fewer simulations: with p = 0.1 not even
 * 1 of 100 happens in 3 of 100,000 cases, fewer than 20 of 1000 never.
 */
const HOPELESS_SIMULATIONS: ReadonlyMap<number, number> = new Map([
  [100, 1],
  [1000, 20],
]);

export type KsOptions = FitOptions & { readonly seed: number; readonly simulations?: number };

export type KsFit = BinFit & {
  /** max |F_emp − F| over the bins with events. */
  readonly d: number;
  /** The share of simulated catalogues with at least that distance. */
  readonly p: number;
};

/**
 * The law's distance and its probability for each bin, up to the first that passes (Clauset, Shalizi &
 * Newman 2009; Mizrahi, Nandan & Wiemer 2021): F = 1 − e^(−β (M + Δ − Mc)), and catalogues of n events
 * are drawn from that law. The β of the fit holds for the drawn ones as well.
 */
export function ksFits(histogram: MagnitudeHistogram, options: KsOptions): KsFit[] {
  const tested: KsFit[] = [];
  for (const fit of fitsByBin(histogram, options)) {
    const decay = fit.b * Math.LN10 * histogram.binWidth;
    const d = distanceFromLaw(histogram.counts.slice(fit.bin - histogram.first), fit.n, decay);
    const p = simulatedP({ d, n: fit.n, decay }, options);
    tested.push({ ...fit, d, p });
    if (p >= PASSING_P) break;
  }
  return tested;
}

function distanceFromLaw(counts: ArrayLike<number>, n: number, decay: number): number {
  let cumulative = 0;
  let distance = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] ?? 0;
    if (count === 0) continue;
    cumulative += count;
    distance = Math.max(distance, Math.abs(cumulative / n + Math.expm1(-decay * (i + 1))));
  }
  return distance;
}

function simulatedP(
  { d, n, decay }: Record<"d" | "n" | "decay", number>,
  { seed, simulations = SIMULATIONS }: KsOptions,
): number {
  const random = seededRandom(seed);
  // Beyond them less than a thousandth of an event is expected; the last bin takes all the rest.
  const counts = new Float64Array(Math.ceil(Math.log(1000 * n) / decay));
  const shares = new Float64Array(counts.length).fill(-Math.expm1(-decay));
  shares[counts.length - 1] = 1;
  let reaching = 0;
  for (let i = 1; i <= simulations; i++) {
    drawCounts(counts, n, { shares, random });
    if (distanceFromLaw(counts, n, decay) >= d) reaching++;
    if (reaching < (HOPELESS_SIMULATIONS.get(i) ?? 0)) return reaching / i;
  }
  return reaching / simulations;
}

/** Rounded magnitudes are tested so often, spread anew over the width they were rounded to. */
const DITHERS = 100;

/** A mean probability far below the passing one is told from it by fewer of them. */
const HOPELESS_DITHERS: ReadonlyMap<number, number> = new Map([
  [1, 1e-6],
  [10, 1e-3],
]);

const ROUNDING = 1e-9;

export type LillieforsFit = ReturnType<typeof testExponential> & {
  readonly bin: number;
  readonly n: number;
};

export type LillieforsOptions = {
  /** Of the magnitudes that are tried; magnitude units. */
  readonly binWidth: number;
  readonly minEvents: number;
  readonly seed: number;
};

/**
 * Whether m − Mc is exponential, for each Mc from the lowest up to the first with p ≥ 0.1 (Herrmann &
 * Marzocchi 2021). Continuous magnitudes m ≥ Mc are tested as they are; rounded ones are spread at
 * random over the step that they were rounded to, and D, D* and p are means.
 * @param ascending magnitudes
 */
export function lillieforsFits(
  ascending: Float64Array,
  { binWidth, minEvents, seed }: LillieforsOptions,
): LillieforsFit[] {
  const tested: LillieforsFit[] = [];
  const step = reportingStep(ascending);
  const lowest = ascending[0] ?? 0;
  for (let bin = binOf(lowest, binWidth); ; bin++) {
    const mc = magnitudeOf(bin, binWidth);
    const cut = step === 0 ? mc : step * Math.ceil(mc / step - ROUNDING);
    const above = ascending.subarray(firstAtLeast(ascending, cut - ROUNDING));
    const isEnough = above.length >= minEvents && above[0] !== above.at(-1);
    if (!isEnough) return tested;
    const result =
      step === 0
        ? testExponential(above.map((m) => m - cut))
        : testDithered(above, cut, step, seed);
    tested.push({ bin, n: above.length, ...result });
    if (result.p >= PASSING_P) return tested;
  }
}

function testDithered(above: Float64Array, cut: number, step: number, seed: number) {
  const random = seededRandom(seed);
  const excess = new Float64Array(above.length);
  let sum = { d: 0, dStar: 0, p: 0 };
  let times = 0;
  while (times < DITHERS && !(sum.p / times < (HOPELESS_DITHERS.get(times) ?? 0))) {
    for (let i = 0; i < above.length; i++) excess[i] = (above[i] ?? 0) - cut + step * random();
    const { d, dStar, p } = testExponential(excess.sort());
    sum = { d: sum.d + d, dStar: sum.dStar + dStar, p: sum.p + p };
    times++;
  }
  return { d: sum.d / times, dStar: sum.dStar / times, p: sum.p / times };
}

/**
 * Tests whether numbers are exponential (Lilliefors 1969; Stephens 1974).
 * @param ascending not below 0, at least one above
 * @returns `d`, max |F_emp − (1 − e^(−x / x̄))|, and the probability `p` of at least that distance
 */
export function testExponential(ascending: Float64Array) {
  const n = ascending.length;
  const mean = ascending.reduce((sum, x) => sum + x, 0) / n;
  const d = distanceFromUniform(ascending.map((x) => -Math.expm1(-x / mean)));
  const root = Math.sqrt(n);
  /** Made independent of the number. */
  const dStar = (d - 0.2 / n) * (root + 0.26 + 0.5 / root);
  return { d, dStar, p: exponentialP(dStar) };
}

/**
 * D* and its probability: from 0.926 to 1.308 by Stephens 1974, the others from simulations of 500
 * events, which the tests repeat.
 */
const TABLE = [
  [0.31, 1],
  [0.395, 0.99],
  [0.46, 0.95],
  [0.501, 0.9],
  [0.559, 0.8],
  [0.607, 0.7],
  [0.652, 0.6],
  [0.698, 0.5],
  [0.748, 0.4],
  [0.806, 0.3],
  [0.88, 0.2],
  [0.926, 0.15],
  [0.99, 0.1],
  [1.094, 0.05],
  [1.19, 0.025],
  [1.308, 0.01],
  [1.378, 0.005],
  [1.546, 0.001],
  [1.76, 0.0001],
] as const;

/** The logarithm of the probability is linear between the entries, and beyond the last. */
function exponentialP(dStar: number): number {
  if (dStar <= TABLE[0][0]) return 1;
  const index = TABLE.findIndex(([distance]) => distance >= dStar);
  const above = index === -1 ? TABLE.length - 1 : index;
  const [x0, p0] = TABLE[above - 1] ?? TABLE[0];
  const [x1, p1] = TABLE[above] ?? TABLE[0];
  return p0 * (p1 / p0) ** ((dStar - x0) / (x1 - x0));
}

/** Steps that magnitudes are rounded to, widest first. */
const STEPS = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01] as const;

const ROUNDED_SHARE = 0.99;
const TOLERANCE = 1e-6;

/** The step that nearly all magnitudes are rounded to; 0 where they are continuous. */
export function reportingStep(magnitudes: ArrayLike<number>): number {
  for (const step of STEPS) {
    let rounded = 0;
    for (let i = 0; i < magnitudes.length; i++) {
      const steps = (magnitudes[i] ?? 0) / step;
      if (Math.abs(steps - Math.round(steps)) < TOLERANCE) rounded++;
    }
    if (rounded >= ROUNDED_SHARE * magnitudes.length) return step;
  }
  return 0;
}
