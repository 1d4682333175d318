import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binomial } from "#services/domain/statistics/numbers/binomial.ts";
import { seededRandom } from "#services/domain/statistics/numbers/seeded-random.ts";
import { testRows } from "../../../support/test-rows.ts";

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
