import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startOfLogBin } from "#services/gateway/routes/analytics/inter-event.ts";
import { hasRealData } from "../../../support/real-data.ts";
import {
  intervalStatistics,
  intervalsOf,
  logBinOf,
} from "../../../support/statistics/intervals-of.ts";
import { readQuakesearch } from "../../../support/statistics/real-catalogues.ts";

describe("times between events", () => {
  it("are seconds from each event to the next", () => {
    expect([...intervalsOf([0, 1000, 1500.5, 1500.5])]).toEqual([1, 0.5005, 0]);
    expect(intervalsOf([])).toHaveLength(0);
  });

  it("have mean, median and coefficient of variation", () => {
    const { mean, median, cv, n, min, max } = intervalStatistics(Float64Array.of(4, 1, 2, 9));
    expect({ n, mean, median, min, max }).toEqual({ n: 4, mean: 4, median: 3, min: 1, max: 9 });
    expect(cv).toBeCloseTo(Math.sqrt((0 + 9 + 4 + 25) / 3) / 4, 14);
  });

  it("vary as much in minutes as in seconds, and not at all where they are equal", () => {
    const intervals = fc.array(fc.double({ min: 1, max: 1e6, noNaN: true }), { minLength: 2 });
    fc.assert(
      fc.property(intervals, (given) => {
        const seconds = Float64Array.from(given);
        const { cv } = intervalStatistics(seconds);
        expect(intervalStatistics(seconds.map((value) => value / 60)).cv).toBeCloseTo(cv, 9);
        expect(intervalStatistics(seconds.fill(given[0] ?? 1)).cv).toBeCloseTo(0, 6);
      }),
    );
  });

  it("lie in bins of their logarithm", () => {
    expect([1, 9.999, 10, 0.001, 1000].map((value) => logBinOf(value, 1))).toEqual([
      0, 0, 1, -3, 3,
    ]);
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e10, noNaN: true }), (seconds) => {
        const bin = logBinOf(seconds, 0.25);
        expect(startOfLogBin(bin, 0.25)).toBeLessThanOrEqual(seconds * (1 + 1e-8));
        expect(startOfLogBin(bin + 1, 0.25)).toBeGreaterThan(seconds);
      }),
    );
  });
});

describe.skipIf(!hasRealData)("times between real events", () => {
  it("of Kawerau from magnitude 2 on", () => {
    const times = readQuakesearch("K")
      .filter(({ magnitude }) => magnitude >= 2)
      .map(({ origintime }) => Date.parse(origintime));
    const { n, mean, median, cv } = intervalStatistics(
      intervalsOf(Float64Array.from(times).sort()),
    );
    expect(n).toBe(587);
    expect(mean.toFixed(3)).toBe("1320.819");
    expect(median.toFixed(3)).toBe("220.678");
    expect(cv.toFixed(5)).toBe("3.60961");
  });
});
