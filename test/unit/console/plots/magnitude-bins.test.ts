import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { histogramOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { magnitudeBins } from "#services/console/plots/magnitude-bins.ts";

describe("magnitudes in bins", () => {
  test("are counted with what is larger, and without what is unknown", () => {
    const magnitude = Float32Array.of(2.1, 2.1, 2.3, Number.NaN, 1.9);
    expect(magnitudeBins(magnitude, null)).toEqual({
      magnitudes: [1.9, 2, 2.1, 2.2, 2.3],
      counts: [1, 0, 2, 0, 1],
      cumulative: [4, 3, 3, 1, 1],
      unknown: 1,
    });
    expect(magnitudeBins(magnitude, Uint32Array.of(0, 3)).counts).toEqual([1]);
    expect(magnitudeBins(new Float32Array(), null).magnitudes).toEqual([]);
  });

  test("are the service's bins, whose lower edges belong to them", () => {
    const magnitudes = [1.65, 2.45, 0.05, -0.25, 6.349];
    for (const magnitude of magnitudes) {
      const { first } = histogramOf([magnitude], 0.1);
      const bins = magnitudeBins(Float32Array.of(magnitude), null);
      expect(bins.magnitudes).toEqual([magnitudeOf(first, 0.1)]);
    }
  });

  test("are those of counting each by itself", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -30, max: 100 }), { minLength: 1 }), (tenths) => {
        const values = Float32Array.from(tenths, (tenth) => tenth / 10);
        const { magnitudes, counts, cumulative } = magnitudeBins(values, null);
        magnitudes.forEach((magnitude, i) => {
          const tenth = Math.round(magnitude * 10);
          expect(counts[i]).toBe(tenths.filter((one) => one === tenth).length);
          expect(cumulative[i]).toBe(tenths.filter((one) => one >= tenth).length);
        });
      }),
    );
  });
});
