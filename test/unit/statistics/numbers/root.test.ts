import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rootOf } from "#services/domain/statistics/numbers/root.ts";

describe("roots", () => {
  it("are found between a positive and a negative value, in either order", () => {
    expect(rootOf((x) => 2 - x * x, 0, 2)).toBeCloseTo(Math.SQRT2, 12);
    expect(rootOf((x) => x * x - 2, 2, 0)).toBeCloseTo(Math.SQRT2, 12);
    expect(rootOf((x) => Math.exp(-x) - 1e-4, -5, 50)).toBeCloseTo(Math.log(1e4), 10);
  });

  it("of functions of one sign are the end nearer to 0", () => {
    expect(rootOf((x) => -1 - x, 0, 1)).toBe(0);
    expect(rootOf((x) => 2 - x, 0, 1)).toBe(1);
  });

  it("of any falling cubic are where it is 0, in few steps", () => {
    const within = fc.double({ min: -10, max: 10, noNaN: true });
    fc.assert(
      fc.property(within, fc.double({ min: 0, max: 5, noNaN: true }), (root, slope) => {
        let calls = 0;
        const f = (x: number) => {
          calls++;
          return -slope * (x - root) - (x - root) ** 3;
        };
        const found = rootOf(f, -11, 11);
        expect(Math.abs(f(found))).toBeLessThan(1e-8);
        expect(calls).toBeLessThan(120);
      }),
    );
  });
});
