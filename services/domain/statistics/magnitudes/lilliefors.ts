import { binOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { firstAtLeast } from "../numbers/first-at-least.ts";
import { seededRandom } from "../numbers/seeded-random.ts";
import { type ExponentialTest, testExponential } from "./exponential-test.ts";
import { reportingStep } from "./reporting-step.ts";
import { PASSING_P } from "./simulated-ks.ts";

/** Rounded magnitudes are tested so often, spread anew over the width they were rounded to. */
const DITHERS = 100;

/** A mean probability far below the passing one is told from it by fewer of them. */
const HOPELESS: ReadonlyMap<number, number> = new Map([
  [1, 1e-6],
  [10, 1e-3],
]);

const ROUNDING = 1e-9;

export type LillieforsFit = ExponentialTest & { readonly bin: number; readonly n: number };

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

function testDithered(
  above: Float64Array,
  cut: number,
  step: number,
  seed: number,
): ExponentialTest {
  const random = seededRandom(seed);
  const excess = new Float64Array(above.length);
  let sum = { d: 0, dStar: 0, p: 0 };
  let times = 0;
  while (times < DITHERS && !(sum.p / times < (HOPELESS.get(times) ?? 0))) {
    for (let i = 0; i < above.length; i++) excess[i] = (above[i] ?? 0) - cut + step * random();
    const { d, dStar, p } = testExponential(excess.sort());
    sum = { d: sum.d + d, dStar: sum.dStar + dStar, p: sum.p + p };
    times++;
  }
  return { d: sum.d / times, dStar: sum.dStar / times, p: sum.p / times };
}
