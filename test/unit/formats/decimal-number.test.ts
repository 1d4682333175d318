import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalNumber, shiftDecimal } from "#infra/formats/decimal-number.ts";
import { runs } from "../../support/runs.ts";

const numberText = fc.oneof(
  fc.stringMatching(/^[+-]?\d{0,18}(\.\d{0,18})?([eE][+-]?\d{1,3})?$/),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.string({ unit: fc.constantFrom(..."0123456789.-+eE xX"), maxLength: 8 }),
);

describe("numbers of decimal text", () => {
  it.each([
    ["41547", -3, 41.547],
    ["5116.2109375", -3, 5.1162109375],
    ["-0.25", 0, -0.25],
    ["-0", 0, -0],
    [".5", 0, 0.5],
    ["5.", 0, 5],
    ["9007199254740993", 0, 9007199254740992],
  ])("%s · 10^%d is %d", (text, places, value) => {
    expect(decimalNumber(text, places)).toBe(value);
  });

  it.each(["", "-", ".", "-.", "1.2.3", "0x10", " 1", "1 ", "--1", "1e", "NaN", "Infinity"])(
    "%j is none",
    (text) => expect(decimalNumber(text, 0)).toBeNaN(),
  );

  it("are those that the shifted text stands for, to the last bit", () => {
    fc.assert(
      fc.property(numberText, fc.integer({ min: -25, max: 0 }), (text, places) => {
        const shifted = shiftDecimal(text, places);
        const expected = shifted === null ? Number.NaN : Number(shifted);
        expect(decimalNumber(text, places)).toBe(expected);
      }),
      { numRuns: runs(5000) },
    );
  });
});
