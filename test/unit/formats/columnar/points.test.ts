import fc from "fast-check";
import { expect, test } from "vitest";
import { heightOf } from "#infra/formats/columnar/points.ts";
import { shiftDecimal } from "#infra/formats/decimal-number.ts";
import { runs } from "../../../support/runs.ts";
import { testRows } from "../../../support/test-rows.ts";

test("the height of a depth is the number with the decimal point moved by three places", () => {
  const depth = fc.oneof(
    fc.double({ min: -10, max: 1_000, noNaN: true }),
    fc.integer({ min: -100_000, max: 10_000_000 }).map((n) => n / 10_000),
  );
  fc.assert(
    fc.property(depth, (kilometres) => {
      expect(heightOf(kilometres)).toBe(0 - Number(shiftDecimal(String(kilometres), 3)));
    }),
    { numRuns: runs(2_000) },
  );
});

testRows(
  "a depth in kilometres is a height in metres",
  [
    [8.2, -8200],
    [1.1, -1100],
    [0, 0],
    [-1.234, 1234],
    [33.3333333, -33333.3333],
  ],
  (depth, height) => {
    expect(heightOf(depth)).toBe(height);
  },
);
