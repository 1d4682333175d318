import { describe, expect, it } from "vitest";
import { integrate } from "#services/domain/statistics/numbers/gauss-legendre.ts";

describe("integrals", () => {
  it("of polynomials up to degree 19 are exact in one panel", () => {
    const whole = { from: 0, to: 1, panel: 1 };
    for (let degree = 0; degree < 20; degree++) {
      expect(integrate((x) => x ** degree, whole)).toBeCloseTo(1 / (degree + 1), 14);
    }
  });

  it("of an exponential are exact to the last digits in panels of a half", () => {
    const integral = integrate(Math.exp, { from: -10, to: 5, panel: 0.5 });
    expect(integral / (Math.exp(5) - Math.exp(-10))).toBeCloseTo(1, 14);
  });

  it("of nothing are 0", () => {
    expect(integrate(Math.exp, { from: 2, to: 2, panel: 0.5 })).toBe(0);
  });
});
