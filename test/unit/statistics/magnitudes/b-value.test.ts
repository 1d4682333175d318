import fc from "fast-check";
import { expect, test } from "vitest";
import { histogramOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { annualA, annualRate } from "#services/domain/statistics/magnitudes/annual-rate.ts";
import { bValueOf, estimateB } from "#services/domain/statistics/magnitudes/b-value.ts";
import { type Excess, excessFrom } from "#services/domain/statistics/magnitudes/excess.ts";
import { excessOf } from "../../../support/statistics/excess-of.ts";

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
