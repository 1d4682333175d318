import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binOf, histogramOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { bValueOf } from "#services/domain/statistics/magnitudes/b-value.ts";
import { bootstrapB } from "#services/domain/statistics/magnitudes/bootstrap.ts";
import { drawCounts } from "#services/domain/statistics/magnitudes/draw-counts.ts";
import { excessFrom } from "#services/domain/statistics/magnitudes/excess.ts";
import { testExponential } from "#services/domain/statistics/magnitudes/exponential-test.ts";
import { lillieforsFits } from "#services/domain/statistics/magnitudes/lilliefors.ts";
import { typeFamily } from "#services/domain/statistics/magnitudes/mixed-types.ts";
import { reportingStep } from "#services/domain/statistics/magnitudes/reporting-step.ts";
import { ksFits } from "#services/domain/statistics/magnitudes/simulated-ks.ts";
import { seededRandom } from "#services/domain/statistics/numbers/seeded-random.ts";
import { risesOf } from "../../../support/statistics/rises-of.ts";
import { syntheticS1 } from "../../../support/statistics/synthetic-s1.ts";

const S1 = syntheticS1();
const TESTED = { binWidth: 0.1, minEvents: 50, seed: 3 } as const;

describe("Lilliefors' test", () => {
  test("refuses exponential numbers as often as its probability says", () => {
    const random = seededRandom(5);
    const passed = [0.9, 0.7, 0.5, 0.3, 0.1, 0.05].map((p) => ({ p, n: 0 }));
    const draws = 4000;
    for (let i = 0; i < draws; i++) {
      const numbers = Float64Array.from({ length: 300 }, () => -2 * Math.log(1 - random())).sort();
      const { p } = testExponential(numbers);
      for (const level of passed) if (p <= level.p) level.n++;
    }
    for (const { p, n } of passed) {
      expect(Math.abs(n / draws - p)).toBeLessThan(0.012 + 3 * Math.sqrt((p * (1 - p)) / draws));
    }
  });

  test("passes where D* falls below 0.990", () => {
    for (const mean of [0.3, 0.43, 0.6]) {
      const numbers = Float64Array.from({ length: 200 }, (_, i) => -mean * Math.log1p(-i / 200));
      const { dStar, p } = testExponential(numbers.sort());
      expect(p >= 0.1).toBe(dStar < 0.99);
    }
  });

  test("finds the same completeness of rounded magnitudes as of continuous ones, to a bin", () => {
    const ascending = Float64Array.from(S1).sort();
    const rounded = ascending.map((m) => magnitudeOf(binOf(m, 0.1), 0.1));
    const [continuous, spread] = [ascending, rounded].map((magnitudes) =>
      lillieforsFits(magnitudes, TESTED).at(-1),
    );
    expect(continuous?.p).toBeGreaterThanOrEqual(0.1);
    expect(Math.abs((continuous?.bin ?? 0) - (spread?.bin ?? 99))).toBeLessThanOrEqual(1);
    expect(lillieforsFits(rounded, TESTED).at(-1)).toEqual(spread);
  });

  test("tests no magnitude with too few events", () => {
    expect(lillieforsFits(Float64Array.from([1, 2, 3]), TESTED)).toEqual([]);
    expect(lillieforsFits(new Float64Array(), TESTED)).toEqual([]);
    expect(lillieforsFits(new Float64Array(60).fill(2), TESTED)).toEqual([]);
  });
});

test("magnitudes are rounded to the widest step that nearly all are multiples of", () => {
  expect(reportingStep(S1)).toBe(0);
  for (const step of [0.5, 0.1, 0.05, 0.01]) {
    expect(reportingStep(S1.map((m) => Math.round(m / step) * step))).toBe(step);
  }
});

describe("the simulated distance from the law", () => {
  const options = { estimator: "tinti-mulargia", minEvents: 50, seed: 3 } as const;

  test("is the same for the same seed, and passes at the last only", () => {
    const fits = ksFits(histogramOf(S1, 0.1), options);
    expect(ksFits(histogramOf(S1, 0.1), options)).toEqual(fits);
    expect(fits.map(({ p }) => p >= 0.1)).toEqual(fits.map((_, i) => i === fits.length - 1));
    expect(fits.at(-1)?.bin).toBeGreaterThanOrEqual(14);
  });

  test("has nothing to say of too few events", () => {
    expect(ksFits(histogramOf([1, 2], 0.1), options)).toEqual([]);
  });
});

test("the bootstrap's deviation of b is the standard error, and its interval holds b", () => {
  const histogram = histogramOf(S1, 0.1);
  const { b, sigma } = bValueOf(excessFrom(histogram, 16), "tinti-mulargia", 0.1);
  const options = { estimator: "tinti-mulargia", samples: 2000, seed: 9 } as const;
  const found = bootstrapB(histogram, 16, options);
  expect(Math.abs(found.sigma / sigma - 1)).toBeLessThan(0.06);
  expect(found.p025).toBeLessThan(b);
  expect(found.p975).toBeGreaterThan(b);
  expect(found.p975 - found.p025).toBeCloseTo(4 * sigma, 2);
  expect(bootstrapB(histogram, 16, options)).toEqual(found);
});

test("drawn counts are of all events, and of bins that had some", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 30 }),
      fc.integer(),
      (counts, seed) => {
        const n = counts.reduce((sum, count) => sum + count, 0);
        const shares = counts.map((count, i) => {
          const rest = counts.slice(i).reduce((sum, c) => sum + c, 0);
          return rest === 0 ? 1 : count / rest;
        });
        const drawn = new Float64Array(counts.length);
        drawCounts(drawn, n, { shares, random: seededRandom(seed) });
        expect(drawn.reduce((sum, count) => sum + count, 0)).toBe(n);
        expect(counts.every((count, i) => count > 0 || drawn[i] === 0)).toBe(true);
      },
    ),
  );
});

test("rises are those from one event to the next, of at least the threshold", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 10, max: 40 }), { maxLength: 50 }),
      fc.integer({ min: 1, max: 5 }),
      (bins, least) => {
        const rises = bins.slice(1).map((bin, i) => bin - (bins[i] ?? 0));
        const kept = rises.filter((rise) => rise >= least);
        const { counts, first } = risesOf(bins, least, 0.1);
        expect(counts.flatMap((n, i) => Array<number>(n).fill(first + i))).toEqual(
          kept.toSorted((a, b) => a - b),
        );
      },
    ),
  );
});

test("types of one family have one name", () => {
  expect(["ML", "mlv", "Mww", "mwc", "M", "m", "Mblg", null].map(typeFamily)).toEqual([
    "ML",
    "ML",
    "Mw",
    "Mw",
    "m",
    "m",
    "mblg",
    null,
  ]);
});
