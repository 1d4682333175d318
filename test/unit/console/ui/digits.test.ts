import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aligned, given, magnitudeName, measured } from "#services/console/ui/text/digits.ts";

const read = (text: string): number => Number(text.replace("−", "-"));

describe("a number without an uncertainty", () => {
  test("stands as it was given, with no more decimals than its kind has", () => {
    expect(given(6.1, "magnitude")).toBe("6.1");
    expect(given(6, "magnitude")).toBe("6");
    expect(given(1.999672212, "magnitude")).toBe("2");
    expect(given(2.47, "magnitude")).toBe("2.47");
    expect(given(Math.fround(5.1), "depth")).toBe("5.1");
    expect(given(12.34, "depth")).toBe("12.34");
    expect(given(12.34567, "depth")).toBe("12.3");
    expect(given(-38.796712345, "degrees")).toBe("−38.7967");
    expect(given(-0.000001, "degrees")).toBe("0");
    expect(given(null, "depth")).toBe("–");
    expect(given(Number.NaN, "depth")).toBe("–");
  });

  test("is never farther from what was given than half of its last decimal", () => {
    fc.assert(
      fc.property(fc.double({ min: -1_000, max: 1_000, noNaN: true }), (value) => {
        expect(Math.abs(read(given(value, "depth")) - value)).toBeLessThanOrEqual(0.051);
        expect(given(value, "depth")).toMatch(/^−?\d+(\.\d{1,2})?$/);
      }),
    );
  });
});

describe("a number with an uncertainty", () => {
  test("has the digits that this supports", () => {
    expect(measured(1.999672212, 0.203217674, "magnitude")).toEqual(["2.0", "0.2"]);
    expect(measured(6.1, 0.14, "magnitude")).toEqual(["6.10", "0.14"]);
    expect(measured(6.1, 0.1, "magnitude")).toEqual(["6.1", "0.1"]);
    expect(measured(33.4, 12.2, "depth")).toEqual(["33", "12"]);
    expect(measured(-38.79671, 0.0123456789, "degrees")).toEqual(["−38.797", "0.012"]);
    expect(measured(5, 0, "depth")).toEqual(["5", "0"]);
    expect(measured(null, 0.2, "depth")).toEqual(["–", "0.2"]);
    expect(measured(7.123456, null, "depth")).toEqual(["7.1", null]);
  });

  test("never has nine, however small the uncertainty is", () => {
    expect(measured(175.123456789, 1e-9, "degrees")).toEqual(["175.123457", "10⁻⁹"]);
  });
});

describe("numbers of a column", () => {
  test("say what they lack to stand with their points below each other", () => {
    expect(aligned(6.1, "magnitude")).toEqual(["6.1", "0"]);
    expect(aligned(6, "magnitude")).toEqual(["6", ".00"]);
    expect(aligned(-2.25, "magnitude")).toEqual(["−2.25", ""]);
    expect(aligned(44, "angle")).toEqual(["44", ""]);
    expect(aligned(null, "magnitude")).toEqual(["–", ""]);
  });
});

describe("the name of a magnitude", () => {
  test("has its type, once", () => {
    expect(magnitudeName(7.8, "Mw")).toEqual(["Mw 7.8", null]);
    expect(magnitudeName(2.6, "M")).toEqual(["M 2.6", null]);
    expect(magnitudeName(2.6, null)).toEqual(["M 2.6", null]);
    expect(magnitudeName(1.9996, "ML", 0.2032)).toEqual(["ML 2.0", "0.2"]);
    expect(magnitudeName(null, "ML")).toEqual(["Magnitude unknown", null]);
  });
});
