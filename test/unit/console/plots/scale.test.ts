import { describe, expect, test } from "vitest";
import { linearOver, placeOn, rangeOf, ticksOn } from "#services/console/plots/chart/scale.ts";

describe("a scale", () => {
  test("places values between its ends, of logarithms too, and turned around", () => {
    expect(placeOn({ kind: "linear", from: 10, to: 20 }, 15)).toBe(0.5);
    expect(placeOn({ kind: "linear", from: 300, to: 0 }, 75)).toBe(0.75);
    expect(placeOn({ kind: "log", from: 1, to: 10_000 }, 100)).toBeCloseTo(0.5, 12);
  });

  test("has round marks whichever way it runs", () => {
    const labels = ticksOn({ kind: "linear", from: 210, to: -5 }, 5).map(({ label }) => label);
    expect(labels).toEqual(["0", "50", "100", "150", "200"]);
    const logarithms = ticksOn({ kind: "log", from: 3, to: 2_000_000 }, 9);
    expect(logarithms.map(({ label }) => label)).toEqual([
      "10¹",
      "10²",
      "10³",
      "10⁴",
      "10⁵",
      "10⁶",
    ]);
    expect(ticksOn({ kind: "log", from: 1, to: 10 }, 9).map(({ at }) => at)).toEqual([1, 2, 5, 10]);
    const years = ticksOn({ kind: "time", from: Date.UTC(2019, 0), to: Date.UTC(2023, 5) }, 6);
    expect(years.map(({ label }) => label)).toEqual(["2019", "2020", "2021", "2022", "2023"]);
  });

  test("spans the known values with room at their ends, from 0 where this is asked for", () => {
    expect(rangeOf([3, null, Number.NaN, -1])).toEqual([-1, 3]);
    expect(rangeOf([null])).toBeNull();
    expect(linearOver([0, 100], { fromZero: true })).toEqual({ kind: "linear", from: 0, to: 106 });
    const one = linearOver([2]);
    expect(one.from).toBeLessThan(2);
    expect(one.to).toBeGreaterThan(2);
  });
});
