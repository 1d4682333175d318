import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasRealData } from "../../../support/real-data.ts";
import { distributionOf, valueBinOf } from "../../../support/statistics/distribution-of.ts";
import { readQuakesearch } from "../../../support/statistics/real-catalogues.ts";

const BINS = { width: 0.1, count: 10 };

describe("the distribution of an attribute", () => {
  it("counts missing values apart from zeros", () => {
    const values = [null, 0, 0, 0.3, 5, null, 0.35];
    const unknown = distributionOf(values, { zeroIsUnknown: true, bins: BINS });
    expect([unknown.n, unknown.missing, unknown.zeros]).toEqual([3, 2, 2]);
    expect([unknown.p05, unknown.p50]).toEqual([expect.closeTo(0.305, 12), 0.35]);
    expect(unknown.bins.filter(({ count }) => count > 0)).toEqual([
      { from: 0.3, to: 0.4, count: 2 },
      { from: 1, to: null, count: 1 },
    ]);
    expect(distributionOf(values, { zeroIsUnknown: false, bins: BINS }).n).toBe(5);
  });

  it("of nothing has neither percentiles nor bins", () => {
    const none = distributionOf([null], { zeroIsUnknown: true, bins: BINS });
    expect(none).toMatchObject({ n: 0, missing: 1, p50: null, bins: [] });
  });

  it("has every value in one bin, in any order", () => {
    const value = fc.option(fc.double({ min: 0, max: 3, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(fc.array(value), fc.boolean(), (values, zeroIsUnknown) => {
        const found = distributionOf(values, { zeroIsUnknown, bins: BINS });
        const inBins = found.bins.reduce((sum, { count }) => sum + count, 0);
        expect(inBins).toBe(found.n);
        expect(found.n + found.missing + (zeroIsUnknown ? found.zeros : 0)).toBe(values.length);
        expect(distributionOf(values.toReversed(), { zeroIsUnknown, bins: BINS })).toEqual(found);
      }),
    );
  });

  it("has values on an edge in the bin that begins there", () => {
    expect([0, 0.3, 0.7, 0.999, 1, 40].map((value) => valueBinOf(value, BINS))).toEqual([
      0, 3, 7, 9, 10, 10,
    ]);
  });
});

describe.skipIf(!hasRealData)("the distribution of real attributes", () => {
  it("of GeoNet's azimuthal gaps and magnitude uncertainties", () => {
    const rows = readQuakesearch("G");
    const gap = distributionOf(
      rows.map(({ azimuthalgap }) => azimuthalgap),
      { zeroIsUnknown: true, bins: { width: 10, count: 36 } },
    );
    expect([gap.p05, gap.p25, gap.p50, gap.p75, gap.p95]).toEqual([51, 90, 128, 174, 271]);
    expect(rows.filter(({ azimuthalgap }) => (azimuthalgap ?? 0) > 180)).toHaveLength(3891);
    const sigma = distributionOf(
      rows.map(({ magnitudeuncertainty }) => magnitudeuncertainty),
      { zeroIsUnknown: true, bins: BINS },
    );
    expect((sigma.zeros / rows.length).toFixed(2)).toBe("0.46");
  });
});
