import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shiftDecimal } from "#infra/formats/decimal-number.ts";

const decimalText = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.stringMatching(/^\d{0,25}$/),
    fc.option(fc.stringMatching(/^\d{0,25}$/)),
    fc.option(fc.integer({ min: -400, max: 400 })),
  )
  .filter(([, whole, fraction]) => whole !== "" || (fraction ?? "") !== "")
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : `e${exponent}`}`,
  );

/** The value of decimal text as a fraction of integers: numerator · 10^exponent without zeros behind. */
function exactValue(text: string): { digits: bigint; exponent: number } {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  let digits = BigInt(`${whole.replace(/[+-]/, "")}${fraction}`);
  let power = Number(exponent) - fraction.length;
  if (digits === 0n) return { digits, exponent: 0 };
  while (digits % 10n === 0n) {
    digits /= 10n;
    power++;
  }
  return { digits: whole.startsWith("-") ? -digits : digits, exponent: power };
}

describe("shift of the decimal point", () => {
  it.each([
    ["5116.2109375", -3, "5.1162109375"],
    ["5.1162109375", 3, "5116.2109375"],
    ["29.0", -3, "0.0290"],
    ["10", 3, "10000"],
    ["0.005", 3, "5"],
    ["-2.59", 3, "-2590"],
    [".5", 3, "500"],
    ["5.", -1, "0.5"],
    ["0", -3, "0.000"],
    ["1e-07", 3, "1e-4"],
    ["1E+20", -3, "1e17"],
    ["-1.5e3", 3, "-1.5e6"],
  ])("shifts %s by %i to %s", (text, places, expected) => {
    expect(shiftDecimal(text, places)).toBe(expected);
  });

  it.each(["", ".", "-", "abc", "1e", "0x10", "1,5", "NaN", " 1", "1 ", "--1", "1.2.3", "INF"])(
    "takes %j for no number",
    (text) => {
      expect(shiftDecimal(text, 3)).toBeNull();
    },
  );

  it("keeps every digit", () => {
    fc.assert(
      fc.property(decimalText, fc.integer({ min: -30, max: 30 }), (text, places) => {
        const before = exactValue(text);
        const after = exactValue(shiftDecimal(text, places) ?? "");
        expect(after.digits).toBe(before.digits);
        if (before.digits !== 0n) expect(after.exponent).toBe(before.exponent + places);
      }),
    );
  });

  it("is undone by the opposite shift for every double", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const there = shiftDecimal(String(number), 3) ?? "";
        expect(Number(shiftDecimal(there, -3))).toBe(number + 0);
      }),
    );
  });

  it("reads long text in linear time", () => {
    expect(shiftDecimal(`${"1".repeat(1_000_000)}x`, 3)).toBeNull();
    expect(shiftDecimal("0".repeat(1_000_000), 3)).toBe("0");
    expect(shiftDecimal(`1e${"9".repeat(1000)}`, 3)).toBe(`1e${"9".repeat(1000)}`);
  });
});
