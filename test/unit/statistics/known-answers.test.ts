import { describe, expect, test } from "vitest";
import { binOf, histogramOf, magnitudeOf } from "#contracts/analytics/histogram.ts";
import {
  annualA,
  annualRate,
  type BEstimator,
  bValueOf,
  excessFrom,
  weichert,
} from "#services/domain/analytics/magnitudes/b-value.ts";
import {
  firstReaching,
  fitEntireRange,
  goodnessOfFit,
  modalBin,
  stableBin,
} from "#services/domain/analytics/magnitudes/completeness.ts";
import { ksFits, lillieforsFits } from "#services/domain/analytics/magnitudes/law-tests.ts";
import { typeFamily } from "#services/domain/events/magnitudes.ts";
import { hasRealData } from "../../support/real-data.ts";
import { excessOf, risesOf } from "../../support/statistics/oracles.ts";
import { readQuakesearch } from "../../support/statistics/real-catalogues.ts";
import { magnitudesInTime, magnitudesOf } from "../../support/statistics/synthetic.ts";
import { testRows } from "../../support/test-rows.ts";

/**
 * Results of SeismoStats, ZMAP and own computations with NumPy for GeoNet's catalogue (G), Kawerau 2023
 * (K), Ridgecrest 2019 (R) and a synthetic catalogue (S1), to the digits that they were given with.
 */
type Name = keyof typeof magnitudesOf;

const isThere = (name: Name) => name === "S1" || hasRealData;
let rows: ReturnType<typeof readQuakesearch> | undefined;
/** Of G, read once. */
function quakesearch() {
  rows ??= readQuakesearch("G");
  return rows;
}
const known = new Map<Name, readonly number[]>();
function magnitudes(name: Name): readonly number[] {
  const values =
    known.get(name) ??
    (name === "G" ? quakesearch().map(({ magnitude }) => magnitude) : magnitudesOf[name]());
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

const OPTIONS = { estimator: "tinti-mulargia", minEvents: 50 } as const;

describe.skipIf(!hasRealData)("results of SeismoStats, statsmodels and NumPy", () => {
  test("a and the annual rate of G", () => {
    const { n, b } = bValueOf(excessFrom(histogram("G"), 19), "tinti-mulargia", 0.1);
    const a = annualA(n, { b, mc: 1.9, years: 42.43943 });
    expect(a).toBeCloseTo(3.94398, 6);
    expect(annualRate(4, { a, b })).toBeCloseTo(1.54604, 5);
  });

  test("b of G by Weichert, with the years of completeness", () => {
    const events = quakesearch().filter(({ origintime }) => origintime < "2022");
    const bins = Array.from({ length: 41 }, (_, i) => {
      const bin = 20 + i;
      const since = bin < 25 ? 2012 : bin < 30 ? 2000 : 1990;
      const count = events.filter(
        ({ origintime, magnitude }) =>
          binOf(magnitude, 0.1) === bin && Number(origintime.slice(0, 4)) >= since,
      ).length;
      return { magnitude: magnitudeOf(bin, 0.1), count, years: 2022 - since };
    });
    const { estimate } = weichert(bins);
    expect(estimate?.n).toBe(1989);
    expect(estimate?.b).toBeCloseTo(1.12684, 5);
    expect(estimate?.sigma).toBeCloseTo(0.02032, 5);
    expect(estimate?.annualRate).toBeCloseTo(141.8135, 4);
    expect(weichert(bins.filter(({ count }) => count > 0)).estimate?.b).toBeCloseTo(1.11317, 5);
  });

  test("the completeness of K by Lilliefors' test", () => {
    const fits = lillieforsFits(Float64Array.from(magnitudes("K")).sort(), {
      binWidth: 0.1,
      minEvents: 50,
      seed: 1,
    });
    const [before, last] = fits.slice(-2);
    expect([last?.bin, last?.n]).toEqual([20, 588]);
    expect(last?.d).toBeCloseTo(0.033837, 6);
    expect(last?.dStar).toBeCloseTo(0.82166, 5);
    expect(before?.dStar).toBeCloseTo(1.20688, 5);
  });

  test("the completeness of K by the distance of Kolmogorov and Smirnov", () => {
    const last = ksFits(histogram("K"), { ...OPTIONS, seed: 1 }).at(-1);
    expect([last?.bin, last?.n]).toEqual([20, 652]);
    expect(last?.d).toBeCloseTo(0.024643, 6);
  });

  test("b of the magnitudes M and ML of G differ by 0.25, eight times their error", () => {
    const [ofM, ofMl] = ["m", "ML"].map((family) => {
      const ofType = quakesearch().filter(
        ({ magnitudetype }) => typeFamily(magnitudetype) === family,
      );
      const histogram = histogramOf(
        ofType.map(({ magnitude }) => magnitude),
        0.1,
      );
      return bValueOf(excessFrom(histogram, 19), "tinti-mulargia", 0.1);
    });
    const difference = Math.abs((ofM?.b ?? 0) - (ofMl?.b ?? 0));
    expect(difference).toBeCloseTo(0.25, 2);
    expect(difference / Math.hypot(ofM?.sigma ?? 0, ofMl?.sigma ?? 0)).toBeGreaterThan(8);
  });

  testRows(
    "b-positive of K and R",
    [
      ["K", 15, 1, 476, 1.187272, 0.056116],
      ["R", 25, 1, 354, 1.056029, 0.052574],
      ["R", 25, 2, 279, 1.062115, 0.058858],
    ] as const,
    (name, mc, dc, n, b, sigma) => {
      const bins = magnitudesInTime(name).map((magnitude) => binOf(magnitude, 0.1));
      const rises = risesOf(
        bins.filter((bin) => bin >= mc),
        dc,
        0.1,
      );
      const found = bValueOf(excessFrom(rises, dc), "tinti-mulargia", 0.1);
      expect(found.n).toBe(n);
      expect(found.b).toBeCloseTo(b, 6);
      expect(found.sigma).toBeCloseTo(sigma, 6);
    },
  );
});
