import { describe, expect, test } from "vitest";
import { histogramOf } from "#contracts/magnitude-histogram.ts";
import { stableBin } from "#services/domain/statistics/magnitudes/b-stability.ts";
import { type BEstimator, bValueOf } from "#services/domain/statistics/magnitudes/b-value.ts";
import { fitEntireRange } from "#services/domain/statistics/magnitudes/entire-range.ts";
import { excessFrom } from "#services/domain/statistics/magnitudes/excess.ts";
import {
  firstReaching,
  goodnessOfFit,
} from "#services/domain/statistics/magnitudes/goodness-of-fit.ts";
import { modalBin } from "#services/domain/statistics/magnitudes/maximum-curvature.ts";
import { hasRealData } from "../../../support/real-data.ts";
import { excessOf } from "../../../support/statistics/excess-of.ts";
import { magnitudesOf } from "../../../support/statistics/magnitudes.ts";
import { testRows } from "../../../support/test-rows.ts";

/**
 * Results of SeismoStats, ZMAP and own computations with NumPy for GeoNet's catalogue (G), Kawerau 2023
 * (K), Ridgecrest 2019 (R) and a synthetic catalogue (S1), to the digits that they were given with.
 */
type Name = keyof typeof magnitudesOf;

const isThere = (name: Name) => name === "S1" || hasRealData;
const known = new Map<Name, readonly number[]>();
function magnitudes(name: Name): readonly number[] {
  const values = known.get(name) ?? magnitudesOf[name]();
  known.set(name, values);
  return values;
}
const histogram = (name: Name, binWidth = 0.1) => histogramOf(magnitudes(name), binWidth);

describe.skipIf(!hasRealData)("GeoNet's catalogue", () => {
  test("has 55 bins", () => {
    const { first, counts } = histogram("G");
    const from = (bin: number) => counts.slice(bin - first).reduce((sum, n) => sum + n, 0);
    expect([first, counts.length, from(first)]).toEqual([-1, 55, 17_397]);
    expect([counts[17 - first], from(20), from(30)]).toEqual([1375, 4966, 556]);
  });
});

describe.each([
  ["G", 17, [15, 90.985], [17, 96.675], [19, 0.935052]],
  ["K", 20, [18, 91.754], [20, 97.128], [20, 0.952118]],
  ["R", 27, [31, 90.898], null, [34, 1.041021]],
  ["S1", 14, [12, 92.716], [13, 96.271], [15, 0.992009]],
] as const)("the completeness of %s", (name, mode, at90, at95, stable) => {
  const options = { estimator: "utsu", minEvents: 50 } as const;

  test.runIf(isThere(name))("by maximum curvature", () => {
    expect(modalBin(histogram(name))).toBe(mode);
  });

  test.runIf(isThere(name))("by goodness of fit", () => {
    const fits = goodnessOfFit(histogram(name), options);
    for (const [percent, expected] of [
      [90, at90],
      [95, at95],
    ] as const) {
      const found = firstReaching(fits, percent);
      expect(found?.bin ?? null).toBe(expected?.[0] ?? null);
      // Some were rounded to four digits first, then to three.
      if (found && expected) expect(Math.abs(found.r - expected[1])).toBeLessThan(0.00056);
    }
  });

  test.runIf(isThere(name))("by the stability of b", () => {
    const found = stableBin(histogram(name), options);
    expect(found && [found.bin, Number(found.b.toFixed(6))]).toEqual(stable);
  });
});

testRows(
  "the completeness by the entire range of magnitudes",
  [
    ["G", 18, 0.92619, 1.0264, 0.29902],
    ["S1", 14, 0.98153, 1.0573, 0.19453],
  ] as const,
  (name, bin, b, mu, sigma) => {
    if (!isThere(name)) return;
    const found = fitEntireRange(histogram(name), { estimator: "tinti-mulargia", minEvents: 50 });
    expect(found?.bin).toBe(bin);
    expect(found?.fit.b).toBeCloseTo(b, 5);
    expect(found?.detection.mu).toBeCloseTo(mu, 4);
    expect(found?.detection.sigma).toBeCloseTo(sigma, 5);
  },
);

const BINNED: readonly (readonly [Name, BEstimator, number, number, number, number, number])[] = [
  ["G", "tinti-mulargia", 0.1, 19, 6141, 0.93869, 0.011678],
  ["G", "utsu", 0.1, 19, 6141, 0.935052, 0.011588],
  ["K", "tinti-mulargia", 0.1, 20, 652, 0.95596, 0.03634],
  ["R", "tinti-mulargia", 0.1, 29, 523, 0.747157, 0.025058],
  ["R", "tinti-mulargia", 0.01, 290, 490, 0.765035, 0.026652],
  ["S1", "tinti-mulargia", 0.1, 16, 5530, 0.99652, 0.013274],
  ["S1", "utsu", 0.1, 16, 5530, 0.992171, 0.013158],
];

testRows(
  "b by each estimator, width and bin",
  BINNED.filter(([name]) => isThere(name)),
  (name, estimator, binWidth, bin, n, b, sigma) => {
    const found = bValueOf(excessFrom(histogram(name, binWidth), bin), estimator, binWidth);
    expect(found.n).toBe(n);
    expect(found.b).toBeCloseTo(b, 6);
    expect(found.sigma).toBeCloseTo(sigma, 6);
  },
);

test.runIf(hasRealData)(
  "b of G has a simple error too, and b of K by Aki an unbiased value",
  () => {
    const simple = bValueOf(excessFrom(histogram("G"), 19), "tinti-mulargia", 0.1).sigmaAki;
    expect(simple).toBeCloseTo(0.011978, 6);
    const aki = bValueOf(excessOf(magnitudes("K"), 2), "aki", 0);
    expect(aki.n).toBe(588);
    expect(aki.b).toBeCloseTo(0.961911, 6);
    expect(aki.sigma).toBeCloseTo(0.038645, 6);
    expect(aki.bUnbiased).toBeCloseTo(0.960275, 6);
  },
);
