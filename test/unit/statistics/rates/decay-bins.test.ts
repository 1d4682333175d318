import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decayBins } from "#services/domain/statistics/rates/omori/decay-bins.ts";
import { syntheticS3 } from "../../../support/statistics/synthetic-s3.ts";

describe("the decay of aftershocks", () => {
  it("is counted in five bins for each decade of days", () => {
    const bins = decayBins(Float64Array.of(0.01, 0.05, 1, 10), { start: 0.01, end: 10 }, null);
    expect(bins).toHaveLength(15);
    expect(bins.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(4);
    expect([bins[0]?.count, bins[10]?.count, bins[14]?.count]).toEqual([1, 1, 1]);
    expect(bins[10]?.from).toBeCloseTo(1, 12);
    expect(bins[0]?.expected).toBeNull();
  });

  it("has every event of the window between the edges of its bin", () => {
    const within = fc.double({ min: 0.01, max: 50, noNaN: true });
    fc.assert(
      fc.property(fc.array(within, { minLength: 1 }), fc.boolean(), (given, fromStart) => {
        const days = Float64Array.from(given);
        const bins = decayBins(days, { start: fromStart ? 0.01 : 0, end: 50 }, null);
        for (const { from, to, count } of bins) {
          const isLast = to === 50;
          const inside = given.filter((day) => day >= from && (day < to || isLast));
          expect(inside).toHaveLength(count);
        }
      }),
    );
  });

  it("expects as many events as there are, by the law that was fitted to them", () => {
    const days = Float64Array.from(syntheticS3());
    const bins = decayBins(days, { start: 0.01, end: 100 }, { K: 66.212, c: 0.039741, p: 1.07156 });
    const expected = bins.reduce((sum, bin) => sum + (bin.expected ?? 0) * (bin.to - bin.from), 0);
    const seen = bins.reduce((sum, { count }) => sum + count, 0);
    expect(Math.abs(expected - seen)).toBeLessThan(3 * Math.sqrt(seen));
  });

  it("of an empty window has no bins", () => {
    expect(decayBins(Float64Array.of(), { start: 5, end: 5 }, null)).toEqual([]);
    expect(decayBins(Float64Array.of(), { start: 0, end: 5 }, null)).toEqual([]);
  });
});
