import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { powerOfTen, roundedBy, significant, withError } from "#contracts/plots/number-text.ts";

describe("a number", () => {
  test("has the first digit of its uncertainty, two where it begins with 1, and as many decimals as it", () => {
    expect(withError(0.9235871922673666, 0.04285465455735956)).toBe("0.92 ± 0.04");
    expect(withError(0.93901, 0.011667)).toBe("0.939 ± 0.012");
    expect(withError(170.71712, 73.89634)).toBe("170 ± 70");
    expect(withError(1234.5, 837)).toBe("1200 ± 800");
    expect(withError(-1.26, 0.0996)).toBe("\u22121.26 ± 0.10");
    expect(withError(1.9996, 0.2032)).toBe("2.0 ± 0.2");
    expect(withError(0.9981, 0.0022)).toBe("0.998 ± 0.002");
    expect(withError(6.1, 0.1)).toBe("6.1 ± 0.1");
    expect(withError(33.4, 10)).toBe("33 ± 10");
    expect(withError(1.1, null)).toBe("1.1");
    expect(withError(0.93587, 0)).toBe("0.936");
  });

  test("rounded by its error is not farther from itself than half of that", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1_000, max: 1_000, noNaN: true }),
        fc.double({ min: 1e-6, max: 500, noNaN: true }),
        (value, sigma) => {
          const told = Number(roundedBy(sigma, value).replace("\u2212", "-"));
          expect(Math.abs(told - value)).toBeLessThanOrEqual(sigma * 0.5 + 1e-9);
        },
      ),
    );
  });

  test("is told by a power of ten where it is large or small", () => {
    expect(significant(1.873e18, 3)).toBe("1.87 · 10¹⁸");
    expect(significant(1e-7)).toBe("10⁻⁷");
    expect(significant(9.9996e6, 4)).toBe("10⁷");
    expect(significant(-0.25)).toBe("\u22120.25");
    expect(significant(17_397, 5)).toBe("17,397");
    expect(significant(0)).toBe("0");
    expect(powerOfTen(-12)).toBe("10⁻¹²");
  });
});
