import fc from "fast-check";
import { expect, test } from "vitest";
import { normalDensity, normalDistribution } from "#services/domain/statistics/numbers/normal.ts";
import { testRows } from "../../../support/test-rows.ts";

testRows(
  "Φ has the values of tables",
  [
    [0, 0.5],
    [1, 0.841344746068543],
    [-1.959963984540054, 0.025],
    [-3, 0.00134989803163009],
    [-6, 9.86587645037698e-10],
    [-20, 2.75362411860624e-89],
  ],
  (x, expected) => {
    expect(normalDistribution(x) / expected).toBeCloseTo(1, 12);
  },
);

test("Φ is symmetric, and its slope is the density", () => {
  fc.assert(
    fc.property(fc.double({ min: -8, max: 8, noNaN: true }), (x) => {
      expect(normalDistribution(x) + normalDistribution(-x)).toBeCloseTo(1, 14);
      const slope = (normalDistribution(x + 1e-5) - normalDistribution(x - 1e-5)) / 2e-5;
      expect(slope).toBeCloseTo(normalDensity(x), 8);
    }),
  );
});
