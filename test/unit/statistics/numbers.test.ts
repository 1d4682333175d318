import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  distanceFromUniform,
  kolmogorovP,
  normalDensity,
  normalDistribution,
  quantileOf,
} from "#services/domain/analytics/numbers/distributions.ts";
import { compensatedSum, integrate, rootOf } from "#services/domain/analytics/numbers/numerics.ts";
import { binomial, seededRandom } from "#services/domain/analytics/numbers/random.ts";
import { testRows } from "../../support/test-rows.ts";

describe("compensated sums", () => {
  it("keep what large terms would swallow", () => {
    expect(compensatedSum([1, 1e100, 1, -1e100])).toBe(2);
    expect(compensatedSum(Array(10).fill(0.1))).toBe(1);
    expect(compensatedSum([])).toBe(0);
  });

  it("of whole thousandths are the exact sum, rounded, in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e12, max: 1e12 })), (thousandths) => {
        const exact = thousandths.reduce((sum, value) => sum + value, 0) / 1000;
        const sum = compensatedSum(thousandths.map((value) => value / 1000));
        const scale =
          thousandths.reduce((most, value) => Math.max(most, Math.abs(value)), 1) / 1000;
        expect(Math.abs(sum - exact)).toBeLessThanOrEqual(
          (2 * thousandths.length + 2) * scale * 2 ** -53,
        );
      }),
    );
  });
});

describe("integrals", () => {
  it("of polynomials up to degree 19 are exact in one panel", () => {
    const whole = { from: 0, to: 1, panel: 1 };
    for (let degree = 0; degree < 20; degree++) {
      expect(integrate((x) => x ** degree, whole)).toBeCloseTo(1 / (degree + 1), 14);
    }
  });

  it("of an exponential are exact to the last digits in panels of a half", () => {
    const integral = integrate(Math.exp, { from: -10, to: 5, panel: 0.5 });
    expect(integral / (Math.exp(5) - Math.exp(-10))).toBeCloseTo(1, 14);
  });

  it("of nothing are 0", () => {
    expect(integrate(Math.exp, { from: 2, to: 2, panel: 0.5 })).toBe(0);
  });
});

describe("Kolmogorov's test", () => {
  it("the distance is the largest step beside the diagonal", () => {
    expect(distanceFromUniform([0.5])).toBe(0.5);
    expect(distanceFromUniform([0.25, 0.75])).toBe(0.25);
    expect(distanceFromUniform([0.9, 0.95, 1])).toBeCloseTo(0.9, 15);
    expect(distanceFromUniform([])).toBe(0);
  });

  it("has the critical values of the tables for many draws", () => {
    expect(kolmogorovP(1.2238 / Math.sqrt(1e6), 1e6)).toBeCloseTo(0.1, 3);
    expect(kolmogorovP(1.3581 / Math.sqrt(1e6), 1e6)).toBeCloseTo(0.05, 3);
    expect(kolmogorovP(1.6276 / Math.sqrt(1e6), 1e6)).toBeCloseTo(0.01, 3);
  });

  it("has those for 20 draws within Stephens' error", () => {
    expect(kolmogorovP(0.294, 20)).toBeCloseTo(0.05, 2);
    expect(kolmogorovP(0.356, 20)).toBeCloseTo(0.01, 2);
  });

  it("is certain for no distance", () => {
    expect(kolmogorovP(0, 100)).toBe(1);
    expect(kolmogorovP(1, 100)).toBeCloseTo(0, 15);
  });
});

testRows(
  "Φ has the values of tables",
  [
    [0, 0.5],
    [1, 0.841344746068543],
    [-1.959963984540054, 0.025],
    [-3, 0.00134989803163009],
    [-6, 9.86587645037698e-10],
    [-20, 2.75362411860624e-89],
  ],
  (x, expected) => {
    expect(normalDistribution(x) / expected).toBeCloseTo(1, 12);
  },
);

test("Φ is symmetric, and its slope is the density", () => {
  fc.assert(
    fc.property(fc.double({ min: -8, max: 8, noNaN: true }), (x) => {
      expect(normalDistribution(x) + normalDistribution(-x)).toBeCloseTo(1, 14);
      const slope = (normalDistribution(x + 1e-5) - normalDistribution(x - 1e-5)) / 2e-5;
      expect(slope).toBeCloseTo(normalDensity(x), 8);
    }),
  );
});

describe("quantiles of type 7", () => {
  testRows(
    "are interpolated between the values",
    [
      [[1, 2, 3, 4], 0.5, 2.5],
      [[1, 2, 3, 4], 0.25, 1.75],
      [[1, 2, 3, 4], 0.95, 3.85],
      [[7], 0.3, 7],
      [[1, 5], 0, 1],
      [[1, 5], 1, 5],
    ],
    (values, fraction, expected) => {
      expect(quantileOf(values, fraction)).toBeCloseTo(expected, 12);
    },
  );

  it("of nothing is not a number", () => {
    expect(quantileOf([], 0.5)).toBeNaN();
  });

  it("lie within the values and rise with the fraction", () => {
    const fraction = fc.double({ min: 0, max: 1, noNaN: true });
    const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1 });
    fc.assert(
      fc.property(values, fraction, fraction, (unsorted, a, b) => {
        const ascending = unsorted.toSorted((x, y) => x - y);
        const low = quantileOf(ascending, Math.min(a, b));
        const high = quantileOf(ascending, Math.max(a, b));
        expect(low).toBeGreaterThanOrEqual(ascending[0] ?? 0);
        expect(high).toBeGreaterThanOrEqual(low - 1e-9);
        expect(high).toBeLessThanOrEqual(ascending.at(-1) ?? 0);
      }),
    );
  });
});

const DRAWS = 20_000;

function drawsOf(draw: () => number): { readonly mean: number; readonly variance: number } {
  const all = Array.from({ length: DRAWS }, draw);
  const mean = all.reduce((sum, x) => sum + x, 0) / DRAWS;
  return { mean, variance: all.reduce((sum, x) => sum + (x - mean) ** 2, 0) / DRAWS };
}

describe("seeded draws", () => {
  test("are the same for the same seed, others for another, and at least 0 and below 1", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const [one, same, other] = [seed, seed, seed + 1].map((s) => {
          const random = seededRandom(s);
          return Array.from({ length: 20 }, random);
        });
        expect(same).toEqual(one);
        expect(other).not.toEqual(one);
        expect(one?.every((x) => x >= 0 && x < 1)).toBe(true);
      }),
    );
  });

  test("are uniform", () => {
    const { mean, variance } = drawsOf(seededRandom(7));
    expect(mean).toBeCloseTo(1 / 2, 1.9);
    expect(variance).toBeCloseTo(1 / 12, 2);
  });
});

describe("binomial draws", () => {
  testRows(
    "have their mean and variance",
    [
      [1, 0.3],
      [20, 0.02],
      [40, 0.5],
      [100, 0.08],
      [100, 0.97],
      [1000, 0.3],
      [1_000_000, 0.2],
    ],
    (n, p) => {
      const random = seededRandom(n);
      const { mean, variance } = drawsOf(() => binomial(n, p, random));
      const expected = n * p * (1 - p);
      expect(Math.abs(mean - n * p) / Math.sqrt(expected / DRAWS)).toBeLessThan(4);
      // Of the variance the standard error is about √(2 / draws) of it, more where few are expected.
      expect(Math.abs(variance / expected - 1)).toBeLessThan(expected < 1 ? 0.08 : 0.05);
    },
  );

  test("have the probabilities of their numbers, on both sides of the change of method", () => {
    for (const p of [0.19, 0.21]) {
      const n = 50;
      const random = seededRandom(11);
      const counts = new Float64Array(n + 1);
      for (let i = 0; i < DRAWS; i++) {
        const k = binomial(n, p, random);
        counts[k] = (counts[k] ?? 0) + 1;
      }
      let probability = (1 - p) ** n;
      for (let k = 0; k <= n; k++) {
        const expected = DRAWS * probability;
        if (expected > 20) {
          expect(Math.abs((counts[k] ?? 0) - expected) / Math.sqrt(expected)).toBeLessThan(4.5);
        }
        probability *= ((n - k) / (k + 1)) * (p / (1 - p));
      }
    }
  });

  test("are 0 without trials or chances, and all where success is certain", () => {
    const random = seededRandom(1);
    expect([binomial(0, 0.5, random), binomial(9, 0, random), binomial(9, 1, random)]).toEqual([
      0, 0, 9,
    ]);
  });
});

describe("roots", () => {
  it("are found between a positive and a negative value, in either order", () => {
    expect(rootOf((x) => 2 - x * x, 0, 2)).toBeCloseTo(Math.SQRT2, 12);
    expect(rootOf((x) => x * x - 2, 2, 0)).toBeCloseTo(Math.SQRT2, 12);
    expect(rootOf((x) => Math.exp(-x) - 1e-4, -5, 50)).toBeCloseTo(Math.log(1e4), 10);
  });

  it("of functions of one sign are the end nearer to 0", () => {
    expect(rootOf((x) => -1 - x, 0, 1)).toBe(0);
    expect(rootOf((x) => 2 - x, 0, 1)).toBe(1);
  });

  it("of any falling cubic are where it is 0, in few steps", () => {
    const within = fc.double({ min: -10, max: 10, noNaN: true });
    fc.assert(
      fc.property(within, fc.double({ min: 0, max: 5, noNaN: true }), (root, slope) => {
        let calls = 0;
        const f = (x: number) => {
          calls++;
          return -slope * (x - root) - (x - root) ** 3;
        };
        const found = rootOf(f, -11, 11);
        expect(Math.abs(f(found))).toBeLessThan(1e-8);
        expect(calls).toBeLessThan(120);
      }),
    );
  });
});
