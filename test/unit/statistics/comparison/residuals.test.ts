import fc from "fast-check";
import { expect, test } from "vitest";
import { residualsOf } from "#services/domain/statistics/comparison/residuals.ts";

test("residuals have a median, a robust σ and quantiles of 5 and 95 %", () => {
  const values = Float64Array.of(0, 9, Number.NaN, -26.6, 0.5, -2.7);
  expect(residualsOf(values)).toEqual({
    n: 5,
    median: 0,
    sigma: expect.closeTo(4.00302, 10),
    p05: expect.closeTo(-21.82, 10),
    p95: expect.closeTo(7.3, 10),
  });
  expect(residualsOf(Float64Array.of(Number.NaN))).toBeNull();
});

test("a shift moves the residuals and leaves their σ", () => {
  const value = fc.integer({ min: -1000, max: 1000 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1 }), value, (values, shift) => {
      const before = residualsOf(Float64Array.from(values));
      const after = residualsOf(Float64Array.from(values, (one) => one + shift));
      expect(after?.median).toBeCloseTo((before?.median ?? 0) + shift, 9);
      expect(after?.p95).toBeCloseTo((before?.p95 ?? 0) + shift, 9);
      expect(after?.sigma).toBeCloseTo(before?.sigma ?? 0, 9);
    }),
  );
});
