import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ordinaryLeastSquares,
  orthogonalRegression,
} from "#services/domain/statistics/comparison/linear-regression.ts";
import { magnitudeRegressions } from "#services/domain/statistics/comparison/magnitude-regressions.ts";
import type { Line, Points } from "#services/domain/statistics/comparison/points.ts";
import { createSlopeRanks } from "#services/domain/statistics/comparison/slope-ranks.ts";
import { theilSen } from "#services/domain/statistics/comparison/theil-sen.ts";
import { syntheticS4 } from "../../../support/statistics/synthetic-s4.ts";

const S4 = syntheticS4();

const rounded = ({ slope, intercept }: Line) => [slope.toFixed(6), intercept.toFixed(6)];

describe("the reference results of S4", () => {
  const regressions = (eta: number) => {
    const { estimate } = magnitudeRegressions(S4, eta);
    if (estimate === null) throw new Error("no estimate");
    return estimate;
  };

  test("are those of SciPy", () => {
    const { ols, gor, theilSen: robust } = regressions(1);
    expect(rounded(ols)).toEqual(["0.684900", "2.051142"]);
    expect(rounded(gor)).toEqual(["0.694218", "2.011760"]);
    expect(rounded(regressions(0.25).gor)).toEqual(["0.703942", "1.970663"]);
    expect(rounded(robust)).toEqual(["0.675497", "2.062318"]);
    const interval = [robust.slopeLow.toFixed(6), robust.slopeHigh.toFixed(6)];
    expect(interval).toEqual(["0.658537", "0.692308"]);
  });
});

/** Magnitudes as catalogues have them, with many that are equal. */
const magnitude = fc.integer({ min: 0, max: 80 }).map((tenths) => tenths / 10);
const points = (minLength: number): fc.Arbitrary<Points> =>
  fc.array(fc.tuple(magnitude, magnitude), { minLength, maxLength: 60 }).map((pairs) => ({
    x: Float64Array.from(pairs, ([x]) => x),
    y: Float64Array.from(pairs, ([, y]) => y),
  }));

function allSlopes({ x, y }: Points): number[] {
  const slopes: number[] = [];
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < x.length; j++) {
      const across = (x[j] ?? 0) - (x[i] ?? 0);
      if (across > 0) slopes.push(((y[j] ?? 0) - (y[i] ?? 0)) / across);
    }
  }
  return slopes.toSorted((a, b) => a - b);
}

test("slopes by rank are those of all pairs of points, in order", () => {
  fc.assert(
    fc.property(points(2), (given) => {
      const slopes = allSlopes(given);
      const { count, slopeOf } = createSlopeRanks(given);
      expect(count).toBe(slopes.length);
      for (const [rank, slope] of slopes.entries()) {
        if (rank % 7 === 0) expect(slopeOf(rank)).toBeCloseTo(slope, 9);
      }
    }),
  );
});

describe("a line through points on a line", () => {
  test("is that line, whichever way it is found", () => {
    const slopes = fc.integer({ min: -300, max: 300 }).filter((n) => n !== 0);
    fc.assert(
      fc.property(
        fc.uniqueArray(magnitude, { minLength: 3, maxLength: 40 }),
        slopes.map((n) => n / 100),
        magnitude,
        fc.constantFrom(0.25, 1, 4),
        (values, slope, intercept, eta) => {
          const x = Float64Array.from(values);
          const line = { x, y: x.map((value) => intercept + slope * value) };
          const found = [
            ordinaryLeastSquares(line),
            orthogonalRegression(line, eta),
            theilSen(line),
          ];
          for (const one of found) {
            expect(one?.slope).toBeCloseTo(slope, 6);
            expect(one?.intercept).toBeCloseTo(intercept, 5);
          }
        },
      ),
    );
  });

  test("is none where all x are equal", () => {
    const upright = { x: Float64Array.of(4, 4, 4), y: Float64Array.of(1, 2, 3) };
    expect(ordinaryLeastSquares(upright)).toBeNull();
    expect(orthogonalRegression(upright, 1)).toBeNull();
    expect(theilSen(upright)).toBeNull();
  });
});

test("the orthogonal regression of x on y is the inverse of that of y on x", () => {
  fc.assert(
    fc.property(points(5), fc.constantFrom(0.25, 1, 4), ({ x, y }, eta) => {
      const line = orthogonalRegression({ x, y }, eta);
      const inverse = orthogonalRegression({ x: y, y: x }, 1 / eta);
      fc.pre(line !== null && inverse !== null && Math.abs(line.slope) > 1e-6);
      expect((line?.slope ?? 0) * (inverse?.slope ?? 0)).toBeCloseTo(1, 6);
    }),
  );
});

test("no line depends on the order of the points", () => {
  fc.assert(
    fc.property(points(3), (given) => {
      const reversed = { x: given.x.toReversed(), y: given.y.toReversed() };
      expect(theilSen(reversed)).toEqual(theilSen(given));
      const [one, other] = [ordinaryLeastSquares(reversed), ordinaryLeastSquares(given)];
      expect(one?.slope ?? 0).toBeCloseTo(other?.slope ?? 0, 12);
    }),
  );
});

describe("regressions of magnitudes", () => {
  const ramp = (n: number, range: number) => {
    const x = Float64Array.from({ length: n }, (_, i) => 3 + (range * i) / (n - 1));
    return { x, y: x.map((value) => 0.5 + 0.9 * value) };
  };

  test("need 30 pairs, and a range of 1", () => {
    expect(magnitudeRegressions(ramp(29, 2), 1)).toEqual({
      estimate: null,
      reason: "too few pairs of events with both magnitudes",
      n: 29,
      required: 30,
    });
    expect(magnitudeRegressions(ramp(30, 0.9), 1)).toMatchObject({
      estimate: null,
      reason: "the magnitudes of the first catalogue differ by less than 1",
    });
    expect(magnitudeRegressions(ramp(30, 1), 1)).toMatchObject({
      estimate: { range: { min: 3, max: 4 }, gor: { slope: expect.closeTo(0.9, 9) } },
    });
  });

  test("have no estimate where the second magnitude is always the same", () => {
    const { x } = ramp(30, 2);
    const flat = magnitudeRegressions({ x, y: x.map(() => 5) }, 1);
    expect(flat).toMatchObject({ estimate: null, reason: "the magnitudes do not vary together" });
  });
});
