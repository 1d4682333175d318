import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compensatedSum } from "#services/domain/statistics/numbers/compensated-sum.ts";

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
