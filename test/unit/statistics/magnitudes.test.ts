import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  binOf,
  histogramOf,
  type MagnitudeHistogram,
  magnitudeOf,
} from "#contracts/analytics/histogram.ts";
import {
  annualA,
  annualRate,
  type BEstimator,
  bValueOf,
  type Excess,
  estimateB,
  excessFrom,
  weichert,
} from "#services/domain/analytics/magnitudes/b-value.ts";
import {
  firstReaching,
  fitEntireRange,
  goodnessOfFit,
  isCut,
  modalBin,
  stableBin,
} from "#services/domain/analytics/magnitudes/completeness.ts";
import { ksFits, lillieforsFits } from "#services/domain/analytics/magnitudes/law-tests.ts";
import { typeFamily } from "#services/domain/events/magnitudes.ts";
import { hasRealData } from "../../support/real-data.ts";
import { runs } from "../../support/runs.ts";
import { excessOf, risesOf } from "../../support/statistics/oracles.ts";
import { readQuakesearch } from "../../support/statistics/real-catalogues.ts";
import { magnitudesInTime, magnitudesOf, syntheticS1 } from "../../support/statistics/synthetic.ts";
import { testRows } from "../../support/test-rows.ts";

testRows(
  "a magnitude is in its bin",
  [
    [1.65, 0.1, 17],
    [1.649, 0.1, 16],
    [-0.05, 0.1, 0],
    [-0.06, 0.1, -1],
    [7.8, 0.1, 78],
    [3, 0.5, 6],
    [2.25, 0.5, 5],
  ],
  (magnitude, binWidth, bin) => {
    expect(binOf(magnitude, binWidth)).toBe(bin);
  },
);

test("a bin's centre has the digits of its width, and is in the bin", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -300, max: 1000 }),
      fc.constantFrom(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 1),
      (bin, binWidth) => {
        const centre = magnitudeOf(bin, binWidth);
        expect(binOf(centre, binWidth)).toBe(bin);
        expect(String(centre).replace(/^-?\d+\.?/, "").length).toBeLessThanOrEqual(2);
      },
    ),
  );
});

test("a histogram has every magnitude once, in any order, and its ends are not empty", () => {
  const magnitudes = fc.array(fc.double({ min: -3, max: 10, noNaN: true }), { maxLength: 50 });
  fc.assert(
    fc.property(magnitudes, fc.constantFrom(0.1, 0.25), (all, binWidth) => {
      const { first, counts } = histogramOf(all, binWidth);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all.length);
      counts.forEach((count, i) => {
        expect(all.filter((m) => binOf(m, binWidth) === first + i)).toHaveLength(count);
      });
      expect([counts[0], counts.at(-1)]).not.toContain(0);
      expect(histogramOf(all.toReversed(), binWidth)).toEqual({ binWidth, first, counts });
    }),
  );
});

test("nothing makes an empty histogram", () => {
  expect(histogramOf([], 0.1)).toEqual({ binWidth: 0.1, first: 0, counts: [] });
});

const ESTIMATORS = ["tinti-mulargia", "utsu"] as const;
const bins = fc.array(fc.integer({ min: -20, max: 60 }), { minLength: 1, maxLength: 80 });

test("binned magnitudes have the excess of their centres, in any order", () => {
  fc.assert(
    fc.property(bins, fc.integer({ min: -30, max: 60 }), (all, mc) => {
      const centres = all.map((bin) => magnitudeOf(bin, 0.1));
      const binned = excessFrom(histogramOf(centres, 0.1), mc);
      const raw = excessOf(centres.toReversed(), magnitudeOf(mc, 0.1));
      expect([binned.n, binned.filled]).toEqual([raw.n, new Set(all.filter((k) => k >= mc)).size]);
      if (raw.n === 0) return;
      expect(binned.mean).toBeCloseTo(raw.mean, 10);
      expect(binned.squares).toBeCloseTo(raw.squares, 8);
    }),
  );
});

test("as many times the events have the same b, with a smaller error", () => {
  fc.assert(
    fc.property(bins, fc.constantFrom(...ESTIMATORS), (all, estimator) => {
      const once = excessFrom(
        histogramOf(
          all.map((k) => k / 10),
          0.1,
        ),
        Math.min(...all),
      );
      fc.pre(once.mean > 0);
      const fourfold: Excess = { ...once, n: 4 * once.n, squares: 4 * once.squares };
      const [a, b] = [once, fourfold].map((excess) => bValueOf(excess, estimator, 0.1));
      expect(b?.b).toBe(a?.b);
      expect(b?.sigmaAki).toBeCloseTo((a?.sigmaAki ?? 0) / 2, 12);
    }),
  );
});

test("bins of no width make every estimator that of continuous magnitudes", () => {
  const excess: Excess = { n: 100, filled: 100, mean: 0.4, squares: 16 };
  const { b } = bValueOf(excess, "aki", 0);
  expect(b).toBeCloseTo(1 / (0.4 * Math.LN10), 12);
  for (const estimator of ESTIMATORS) {
    expect(bValueOf(excess, estimator, 0).b).toBe(b);
    expect(bValueOf(excess, estimator, 1e-6).b).toBeCloseTo(b, 5);
  }
});

test("there is no b of fewer than ten events, nor of fewer than three magnitudes", () => {
  const of = (magnitudes: readonly number[]) =>
    estimateB(excessFrom(histogramOf(magnitudes, 0.1), 10), "tinti-mulargia", 0.1);
  const nine = Array.from({ length: 9 }, (_, i) => 1 + i / 10);
  expect(of(nine)).toMatchObject({ estimate: null, n: 9, required: 10 });
  expect(of([...nine, 0.9])).toMatchObject({ estimate: null, n: 9, required: 10 });
  expect(of([...nine, 1])).toMatchObject({ estimate: { n: 10 } });
  expect(of(Array.from({ length: 20 }, (_, i) => 1 + (i % 2) / 10))).toMatchObject({
    estimate: null,
    n: 2,
    required: 3,
  });
  expect(of([])).toMatchObject({ estimate: null, n: 0, required: 10 });
});

test("k times the counts have the same b, and an a that is larger by log k", () => {
  const counts = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 3, maxLength: 40 });
  fc.assert(
    fc.property(counts, fc.integer({ min: 2, max: 50 }), (all, k) => {
      const [once, scaled] = [all, all.map((n) => k * n)].map((scaledCounts) => {
        const excess = excessFrom({ binWidth: 0.1, first: 12, counts: scaledCounts }, 12);
        const { n, b } = bValueOf(excess, "tinti-mulargia", 0.1);
        return { n, b, a: annualA(n, { b, mc: 1.2, years: 7 }) };
      });
      fc.pre(once !== undefined && scaled !== undefined && Number.isFinite(once.b) && once.n > 0);
      expect(scaled.b).toBeCloseTo(once.b, 10);
      expect(scaled.a - once.a).toBeCloseTo(Math.log10(k), 8);
      expect(annualRate(1.2, once)).toBeCloseTo(once.n / 7, 6);
    }),
  );
});

const counts = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 3, maxLength: 40 });

function binsOf(all: readonly number[], years: number, length = all.length) {
  return Array.from({ length }, (_, i) => ({
    magnitude: magnitudeOf(20 + i, 0.1),
    count: all[i] ?? 0,
    years,
  }));
}

test("with equal years and no largest magnitude it is Tinti and Mulargia's b", () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 100 }), (all, years) => {
      const excess = excessFrom({ binWidth: 0.1, first: 20, counts: all }, 20);
      fc.pre(excess.n >= 10 && excess.filled >= 2);
      const { b } = bValueOf(excess, "tinti-mulargia", 0.1);
      fc.pre(b > 0.2);
      const { estimate } = weichert(binsOf(all, years, 2000));
      expect(estimate?.b).toBeCloseTo(b, 6);
      expect(estimate?.annualRate).toBeCloseTo(excess.n / years, 6);
    }),
  );
});

test("as many times the years change the rate alone, more events the error", () => {
  fc.assert(
    fc.property(counts, (all) => {
      const once = weichert(binsOf(all, 10)).estimate;
      fc.pre(once !== null);
      const longer = weichert(binsOf(all, 20)).estimate;
      expect(longer?.b).toBeCloseTo(once.b, 10);
      expect(longer?.annualRate).toBeCloseTo(once.annualRate / 2, 8);
      const more = weichert(
        binsOf(
          all.map((n) => 4 * n),
          10,
        ),
      ).estimate;
      expect(more?.b).toBeCloseTo(once.b, 10);
      expect(more?.sigma).toBeCloseTo(once.sigma / 2, 8);
    }),
  );
});

test("nine events, or one magnitude, have none", () => {
  expect(weichert(binsOf([5, 4], 1))).toMatchObject({ estimate: null, n: 9, required: 10 });
  expect(weichert(binsOf([0, 40, 0], 1))).toMatchObject({ estimate: null, n: 1, required: 2 });
});

const OPTIONS = { estimator: "tinti-mulargia", minEvents: 50 } as const;

const S1 = histogramOf(syntheticS1(), 0.1);

test("the most frequent magnitude is the lowest of several", () => {
  expect(modalBin({ binWidth: 0.1, first: 5, counts: [1, 7, 3, 7] })).toBe(6);
  expect(modalBin({ binWidth: 0.1, first: 0, counts: [] })).toBeNull();
});

test("a catalogue is cut where its most frequent magnitude is within two bins of its lowest", () => {
  const of = (counts: readonly number[]): MagnitudeHistogram => ({
    binWidth: 0.1,
    first: 3,
    counts,
  });
  expect([[9, 5], [1, 1, 9], [1, 1, 1, 9], []].map((counts) => isCut(of(counts)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("the Gutenberg–Richter law fits itself", () => {
  const counts = Array.from(
    { length: 60 },
    (_, k) => 1e6 * (10 ** (-0.1 * k) - 10 ** (-0.1 * (k + 1))),
  );
  const [fit] = goodnessOfFit({ binWidth: 0.1, first: 10, counts }, OPTIONS);
  expect(fit?.b).toBeCloseTo(1, 3);
  expect(fit?.r).toBeGreaterThan(99.9);
});

test("the scale of magnitudes has no zero: all methods move with it", () => {
  fc.assert(
    fc.property(fc.integer({ min: -50, max: 50 }), (shift) => {
      const moved = { ...S1, first: S1.first + shift };
      const bins = (histogram: MagnitudeHistogram) => [
        modalBin(histogram),
        goodnessOfFit(histogram, OPTIONS).find(({ r }) => r >= 95)?.bin,
        stableBin(histogram, OPTIONS)?.bin,
        fitEntireRange(histogram, OPTIONS)?.bin,
      ];
      expect(bins(moved)).toEqual(bins(S1).map((bin) => (bin ?? Number.NaN) + shift));
    }),
    { numRuns: runs(20) },
  );
});

test("too few events have no completeness", () => {
  const few = histogramOf([1, 1.1, 1.2], 0.1);
  expect(goodnessOfFit(few, OPTIONS)).toEqual([]);
  expect(stableBin(few, OPTIONS)).toBeNull();
  expect(fitEntireRange(few, OPTIONS)).toBeNull();
  expect(fitEntireRange(histogramOf([], 0.1), OPTIONS)).toBeNull();
});

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
