import fc from "fast-check";
import { expect, test } from "vitest";
import { magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { bValueOf } from "#services/domain/statistics/magnitudes/b-value.ts";
import { excessFrom } from "#services/domain/statistics/magnitudes/excess.ts";
import { weichert } from "#services/domain/statistics/magnitudes/weichert.ts";

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
