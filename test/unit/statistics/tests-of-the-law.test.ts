import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binOf, histogramOf, magnitudeOf } from "#contracts/analytics/histogram.ts";
import { bValueOf, excessFrom } from "#services/domain/analytics/magnitudes/b-value.ts";
import {
  bootstrapB,
  bootstrapMovedB,
  movedHistogram,
} from "#services/domain/analytics/magnitudes/bootstrap.ts";
import {
  ksFits,
  lillieforsFits,
  reportingStep,
  testExponential,
} from "#services/domain/analytics/magnitudes/law-tests.ts";
import { drawCounts, seededRandom } from "#services/domain/analytics/numbers/random.ts";
import { typeFamily } from "#services/domain/events/magnitudes.ts";
import { risesOf } from "../../support/statistics/oracles.ts";
import { syntheticS1 } from "../../support/statistics/synthetic.ts";

const S1 = syntheticS1();
const TESTED = { binWidth: 0.1, minEvents: 50, seed: 3 } as const;

describe("Lilliefors' test", () => {
  test("refuses exponential numbers as often as its probability says", () => {
    const random = seededRandom(5);
    const passed = [0.9, 0.7, 0.5, 0.3, 0.1, 0.05].map((p) => ({ p, n: 0 }));
    const draws = 4000;
    for (let i = 0; i < draws; i++) {
      const numbers = Float64Array.from({ length: 100 }, () => -2 * Math.log(1 - random())).sort();
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

describe("the bootstrap with the errors of magnitudes", () => {
  const bin = 16;
  const options = { estimator: "tinti-mulargia", samples: 1500, seed: 9 } as const;
  const classesOf = (sigmaOf: (i: number) => number) =>
    S1.map((magnitude, i) => ({ magnitude, sigma: sigmaOf(i), events: 1 }));

  test("counts every event, where it may have moved to", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            magnitude: fc.double({ min: -3, max: 10, noNaN: true }),
            sigma: fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 100, noNaN: true })),
            events: fc.integer({ min: 1, max: 1000 }),
          }),
          { maxLength: 20 },
        ),
        (classes) => {
          const { counts, first } = movedHistogram(classes, 0.1);
          const events = classes.reduce((sum, one) => sum + one.events, 0);
          expect(counts.reduce((sum, count) => sum + count, 0)).toBeCloseTo(events, 6);
          for (const count of counts) expect(count).toBeGreaterThanOrEqual(0);
          const known = classes.filter(({ sigma }) => sigma === 0);
          for (const { magnitude } of known) {
            expect(counts[binOf(magnitude, 0.1) - first]).toBeGreaterThanOrEqual(1);
          }
        },
      ),
    );
  });

  test("is the one without where no error is known, but for the number of events", () => {
    const without = bootstrapB(histogramOf(S1, 0.1), bin, options);
    const found = bootstrapMovedB(
      classesOf(() => 0),
      0.1,
      bin,
      options,
    );
    expect(found.moved).toBe(0);
    expect(Math.abs(found.sigma / without.sigma - 1)).toBeLessThan(0.1);
    expect(found.p025).toBeCloseTo(without.p025, 1);
  });

  test("is that of moving each drawn magnitude by itself", () => {
    const sigmaOf = (i: number) => (i % 3 === 0 ? 0 : 0.1 + (i % 5) / 20);
    const classes = classesOf(sigmaOf);
    const random = seededRandom(3);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const values = Float64Array.from({ length: 100 }, () => {
      const drawn = classes.map(() => classes[Math.floor(random() * classes.length)]);
      const moved = drawn.map((one) => (one?.magnitude ?? 0) + (one?.sigma ?? 0) * normal());
      return bValueOf(excessFrom(histogramOf(moved, 0.1), bin), "tinti-mulargia", 0.1).b;
    }).sort();
    const found = bootstrapMovedB(classes, 0.1, bin, options);
    const mean = values.reduce((sum, b) => sum + b, 0) / values.length;
    expect((found.p025 + found.p975) / 2).toBeCloseTo(mean, 1);
    const sigma = Math.sqrt(
      values.reduce((sum, b) => sum + (b - mean) ** 2, 0) / (values.length - 1),
    );
    expect(Math.abs(found.sigma / sigma - 1)).toBeLessThan(0.2);
    expect(found.moved).toBe(classes.filter(({ sigma: own }) => own > 0).length);
  });
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
