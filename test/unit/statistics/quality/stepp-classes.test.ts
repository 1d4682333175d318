import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { steppClasses, steppSteps } from "#services/domain/statistics/quality/stepp-classes.ts";

describe("Stepp's test by classes of magnitudes", () => {
  it("goes back in whole years, at most 200 steps", () => {
    expect(steppSteps(0.9)).toEqual({ stepYears: 1, steps: 0 });
    expect(steppSteps(42.4)).toEqual({ stepYears: 1, steps: 42 });
    expect(steppSteps(1000)).toEqual({ stepYears: 5, steps: 200 });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 10_000, noNaN: true }), (years) => {
        const { steps, stepYears } = steppSteps(years);
        expect(steps).toBeLessThanOrEqual(200);
        expect(steps * stepYears).toBeLessThanOrEqual(years);
      }),
    );
  });

  it("has each class by its lowest magnitude, with the events of whole steps", () => {
    const counts = [
      { class: 8, step: 0, count: 2 },
      { class: -1, step: 1, count: 7 },
      { class: 8, step: 2, count: 3 },
      { class: 8, step: 3, count: 100 },
      { class: 8, step: -1, count: 100 },
    ];
    const found = steppClasses(counts, { steps: 3, stepYears: 5 });
    expect(found.map(({ magnitude, n }) => [magnitude, n])).toEqual([
      [-0.5, 7],
      [4, 5],
    ]);
    expect(found[1]?.points.map(({ years, n }) => [years, n])).toEqual([
      [5, 2],
      [10, 2],
      [15, 5],
    ]);
  });
});
