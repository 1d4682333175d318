import fc from "fast-check";
import { expect, test } from "vitest";
import {
  binOf,
  histogramOf,
  type MagnitudeHistogram,
  magnitudeOf,
} from "#contracts/analytics/histogram.ts";
import {
  annualA,
  annualRate,
  bValueOf,
  type Excess,
  estimateB,
  excessFrom,
  weichert,
} from "#services/domain/analytics/magnitudes/b-value.ts";
import {
  fitEntireRange,
  goodnessOfFit,
  isCut,
  modalBin,
  stableBin,
} from "#services/domain/analytics/magnitudes/completeness.ts";
import { runs } from "../../support/runs.ts";
import { excessOf } from "../../support/statistics/oracles.ts";
import { syntheticS1 } from "../../support/statistics/synthetic.ts";
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
