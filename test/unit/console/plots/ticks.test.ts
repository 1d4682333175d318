import fc from "fast-check";
import { expect, test } from "vitest";
import { niceTicks } from "#services/console/plots/chart/ticks.ts";

test("ticks are round numbers within their range, with equal steps", () => {
  expect(niceTicks(-1, 31, 7)).toEqual([0, 5, 10, 15, 20, 25, 30]);
  expect(niceTicks(175.6, 176.25, 7)).toEqual([175.6, 175.7, 175.8, 175.9, 176, 176.1, 176.2]);
  fc.assert(
    fc.property(
      fc.double({ min: -1_000, max: 1_000, noNaN: true }),
      fc.double({ min: 0.01, max: 1_000, noNaN: true }),
      (from, length) => {
        const ticks = niceTicks(from, from + length, 8);
        expect(ticks.length).toBeLessThanOrEqual(10);
        const slack = length * 1e-9;
        expect(ticks.every((at) => at >= from - slack && at <= from + length + slack)).toBe(true);
      },
    ),
  );
});
