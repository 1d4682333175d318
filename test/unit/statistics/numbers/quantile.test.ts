import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantileOf } from "#services/domain/statistics/numbers/quantile.ts";
import { testRows } from "../../../support/test-rows.ts";

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
