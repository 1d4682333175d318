import fc from "fast-check";
import { expect, test } from "vitest";
import { histogramOf, type MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import { stableBin } from "#services/domain/statistics/magnitudes/b-stability.ts";
import { fitEntireRange } from "#services/domain/statistics/magnitudes/entire-range.ts";
import { goodnessOfFit } from "#services/domain/statistics/magnitudes/goodness-of-fit.ts";
import { isCut, modalBin } from "#services/domain/statistics/magnitudes/maximum-curvature.ts";
import { runs } from "../../../support/runs.ts";
import { syntheticS1 } from "../../../support/statistics/synthetic-s1.ts";

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
