import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { legendPlaces } from "#contracts/plots/layout.ts";
import { logTicks } from "#contracts/plots/log-ticks.ts";
import { linesOf, textWidth } from "#contracts/plots/text-width.ts";

describe("a text of a plot", () => {
  test("is broken at its spaces", () => {
    expect(linesOf("one two three four", textWidth("one two"))).toEqual([
      "one two",
      "three",
      "four",
    ]);
  });

  test("begins another row of the legend where the row has no room for it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 80 })),
        fc.integer({ min: 80, max: 200 }),
        (widths, width) => {
          const places = legendPlaces(widths, width);
          for (const [i, { x, row }] of places.entries()) {
            expect(x + (widths[i] ?? 0)).toBeLessThanOrEqual(width);
            const before = places[i - 1];
            if (before?.row === row) expect(x).toBeGreaterThan(before.x + (widths[i - 1] ?? 0));
          }
        },
      ),
    );
  });
});

describe("marks of powers of ten", () => {
  const textsOf = (low: number, high: number) =>
    logTicks(low, high).flatMap(({ text }) => text ?? []);

  test("are named where they are whole powers, and 2- and 5-folds where these are few", () => {
    expect(textsOf(1, 10)).toEqual(["1", "2", "5", "10"]);
    expect(textsOf(0.1, 1_000)).toEqual(["0.1", "1", "10", "100", "1,000"]);
    expect(textsOf(1e4, 1e6)).toEqual(["10⁴", "3 · 10⁴", "10⁵", "3 · 10⁵", "10⁶"]);
    expect(textsOf(1, 1e20).length).toBeLessThan(10);
  });

  test("lie within their limits, in order", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -6, max: 6, noNaN: true }),
        fc.double({ min: 0.1, max: 12, noNaN: true }),
        (power, decades) => {
          const [low, high] = [10 ** power, 10 ** (power + decades)];
          const places = logTicks(low, high).map(({ at }) => at);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          for (const at of places) {
            expect(at).toBeGreaterThanOrEqual(low * (1 - 1e-8));
            expect(at).toBeLessThanOrEqual(high * (1 + 1e-8));
          }
        },
      ),
    );
  });
});
