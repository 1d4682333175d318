import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { steppTest } from "#services/domain/statistics/quality/stepp.ts";

describe("Stepp's test", () => {
  it("finds a constant rate complete over the whole time, σ as T^(−1/2)", () => {
    const { points, completeYears } = steppTest(Array(10).fill(20), 5);
    expect(completeYears).toBe(50);
    const sigma = expect.closeTo(Math.sqrt(20 / 5) / Math.sqrt(5), 12);
    expect(points[0]).toEqual({ years: 5, n: 20, sigma });
    expect((points[3]?.sigma ?? 0) / (points[0]?.sigma ?? 1)).toBeCloseTo(1 / 2, 12);
  });

  it("finds since when events were recorded, whatever their rate", () => {
    const rate = fc.integer({ min: 5, max: 500 });
    fc.assert(
      fc.property(
        rate,
        fc.integer({ min: 3, max: 12 }),
        fc.integer({ min: 3, max: 12 }),
        (count, since, before) => {
          const counts = [...Array(since).fill(count), ...Array(before).fill(0)];
          expect(steppTest(counts, 5).completeYears).toBe(since * 5);
        },
      ),
    );
  });

  it("does not depend on the unit of the rate", () => {
    const counts = [50, 48, 53, 51, 20, 9, 4, 2, 1, 0];
    const once = steppTest(counts, 1).completeYears;
    expect(once).not.toBeNull();
    expect(steppTest(counts, 10).completeYears).toBe((once ?? 0) * 10);
  });

  it("answers nothing for fewer than four times with events", () => {
    expect(steppTest([5, 5, 5], 1).completeYears).toBeNull();
    expect(steppTest([0, 0, 0, 0], 1)).toMatchObject({ completeYears: null });
    expect(steppTest([0], 1).points).toEqual([{ years: 1, n: 0, sigma: null }]);
  });
});
