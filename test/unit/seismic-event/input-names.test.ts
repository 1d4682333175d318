import fc from "fast-check";
import { expect, test } from "vitest";
import { movePoint } from "#contracts/seismic-event/input-names.ts";
import { shiftDecimal } from "#infra/formats/decimal-number.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

test("the point of a number is moved as that of its decimal text, which loses nothing", () => {
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
  fc.assert(
    fc.property(number, fc.integer({ min: -6, max: 6 }), (value, places) => {
      const shifted = Number(shiftDecimal(String(value), places));
      expect(movePoint(value, places)).toBe(shifted);
      expect(Number(movePoint(` ${value} `, places))).toBe(shifted);
    }),
    { numRuns: runs(5000) },
  );
});

testRows(
  "what is no number stays as it is",
  [["deep"], ["1e5e5"], ["1e"], ["0x10"], [""], [null], [true], [Number.NaN]],
  (value) => {
    expect(movePoint(value, -3)).toBe(value);
  },
);
