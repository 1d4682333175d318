import fc from "fast-check";
import { expect, test } from "vitest";
import { binOf, histogramOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { testRows } from "../../../support/test-rows.ts";

testRows(
  "a magnitude is in its bin",
  [
    [1.65, 0.1, 17],
    [1.649, 0.1, 16],
    [-0.05, 0.1, 0],
    [-0.06, 0.1, -1],
    [7.8, 0.1, 78],
    [3, 0.5, 6],
    [2.25, 0.5, 5],
  ],
  (magnitude, binWidth, bin) => {
    expect(binOf(magnitude, binWidth)).toBe(bin);
  },
);

test("a bin's centre has the digits of its width, and is in the bin", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -300, max: 1000 }),
      fc.constantFrom(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 1),
      (bin, binWidth) => {
        const centre = magnitudeOf(bin, binWidth);
        expect(binOf(centre, binWidth)).toBe(bin);
        expect(String(centre).replace(/^-?\d+\.?/, "").length).toBeLessThanOrEqual(2);
      },
    ),
  );
});

test("a histogram has every magnitude once, in any order, and its ends are not empty", () => {
  const magnitudes = fc.array(fc.double({ min: -3, max: 10, noNaN: true }), { maxLength: 50 });
  fc.assert(
    fc.property(magnitudes, fc.constantFrom(0.1, 0.25), (all, binWidth) => {
      const { first, counts } = histogramOf(all, binWidth);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all.length);
      counts.forEach((count, i) => {
        expect(all.filter((m) => binOf(m, binWidth) === first + i)).toHaveLength(count);
      });
      expect([counts[0], counts.at(-1)]).not.toContain(0);
      expect(histogramOf(all.toReversed(), binWidth)).toEqual({ binWidth, first, counts });
    }),
  );
});

test("nothing makes an empty histogram", () => {
  expect(histogramOf([], 0.1)).toEqual({ binWidth: 0.1, first: 0, counts: [] });
});
