import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { depthBins, fixedDepths } from "#services/domain/statistics/rates/depth-bins.ts";
import { hasRealData } from "../../../support/real-data.ts";
import { depthBinOf, depthGroups } from "../../../support/statistics/depths-of.ts";
import { readQuakesearch } from "../../../support/statistics/real-catalogues.ts";

function countsOf(depths: readonly number[], width: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const depth of depths) {
    const bin = depthBinOf(depth, width);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  return counts;
}

describe("depths", () => {
  it("belong to the bin that begins with them", () => {
    expect([0, 4.999, 5, -0.1, 15].map((depth) => depthBinOf(depth, 5))).toEqual([0, 0, 1, -1, 3]);
    expect(depthBinOf(0.3, 0.1)).toBe(3);
  });

  it("are counted in bins without a gap", () => {
    expect(depthBins(countsOf([-2, 11, 12], 5), 5)).toEqual([
      { from: -5, to: 0, count: 1 },
      { from: 0, to: 5, count: 0 },
      { from: 5, to: 10, count: 0 },
      { from: 10, to: 15, count: 2 },
    ]);
    expect(depthBins(new Map(), 5)).toEqual([]);
  });

  it("are all counted, between their bin's edges", () => {
    const depths = fc.array(fc.double({ min: -10, max: 1000, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(depths, fc.constantFrom(0.5, 1, 5, 10), (given, width) => {
        const bins = depthBins(countsOf(given, width), width);
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(given.length);
        expect(bins[0]?.from).toBeLessThanOrEqual(Math.min(...given) + 1e-6);
        expect(bins.at(-1)?.to).toBeGreaterThan(Math.max(...given));
      }),
    );
  });
});

describe("fixed depths", () => {
  const events = (depth: number, count: number, assigned = 0) =>
    Array.from({ length: count }, (_, i) => ({ depth, isAssigned: i < assigned }));

  it("are those that were assigned and values that more than 5 % of the events have", () => {
    const given = [...events(10, 6, 2), ...events(33, 5, 1), ...events(7.2, 89)];
    expect(fixedDepths(depthGroups(given))).toEqual({
      count: 6 + 1 + 89,
      assigned: 3,
      values: [
        { depth: 7.2, count: 89 },
        { depth: 10, count: 6 },
      ],
    });
  });

  it("of nothing are none", () => {
    expect(fixedDepths(depthGroups([]))).toEqual({ count: 0, assigned: 0, values: [] });
  });
});

describe.skipIf(!hasRealData)("the depths of real events", () => {
  it("of GeoNet in bins of 5 km", () => {
    const rows = readQuakesearch("G");
    const depths = rows.flatMap(({ depth }) => depth ?? []);
    expect(depthBins(countsOf(depths, 5), 5).map(({ count }) => count)).toEqual([
      1662, 14_082, 1508, 92, 33, 20,
    ]);
    const fixed = fixedDepths(
      depthGroups(
        rows.flatMap(({ depth, depthtype }) =>
          depth === null ? [] : { depth, isAssigned: depthtype === "operator assigned" },
        ),
      ),
    );
    expect(fixed).toEqual({ count: 8502, assigned: 8415, values: [{ depth: 5, count: 7687 }] });
  });
});
