import type { MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import { seededRandom } from "../numbers/seeded-random.ts";
import { drawCounts } from "./draw-counts.ts";
import { type BinFit, type FitOptions, fitsByBin } from "./fits-by-bin.ts";

/** From this probability up the law is not refused. */
export const PASSING_P = 0.1;

const SIMULATIONS = 10_000;

/**
 * A probability far below the passing one is told from it by fewer simulations: with p = 0.1 not even
 * 1 of 100 happens in 3 of 100,000 cases, fewer than 20 of 1000 never.
 */
const HOPELESS: ReadonlyMap<number, number> = new Map([
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

type Tested = { readonly d: number; readonly n: number; readonly decay: number };

function simulatedP(
  { d, n, decay }: Tested,
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
    if (reaching < (HOPELESS.get(i) ?? 0)) return reaching / i;
  }
  return reaching / simulations;
}
