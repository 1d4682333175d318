import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALENDAR_UNITS, decimalYear } from "#contracts/analytics/calendar.ts";
import { edgeOfCell, startOfLogBin } from "#services/analytics/rates.ts";
import { binsOf } from "#services/domain/analytics/numbers/numerics.ts";
import { fixedDepths } from "#services/domain/analytics/quality.ts";
import {
  countsByUnit,
  endOfUnit,
  rateBins,
  startOfUnit,
} from "#services/domain/analytics/rates/calendar-bins.ts";
import {
  decayBins,
  logMoment,
  maximiseOmori,
  omoriIntegral,
  omoriUtsu,
} from "#services/domain/analytics/rates/omori-utsu.ts";
import {
  energyOfMoment,
  isMomentType,
  magnitudeOfMoment,
  momentOf,
  totalMoment,
} from "#services/domain/analytics/rates/seismic-moment.ts";
import { hasRealData } from "../../support/real-data.ts";
import { runs } from "../../support/runs.ts";
import {
  cellOf,
  cellOfLongitude,
  depthBinOf,
  depthGroups,
  intervalStatistics,
  intervalsOf,
  logBinOf,
  momentGroups,
} from "../../support/statistics/oracles.ts";
import { readCsepSample, readQuakesearch } from "../../support/statistics/real-catalogues.ts";
import { omoriDelay, parkMiller, syntheticS3 } from "../../support/statistics/synthetic.ts";
import { testRows } from "../../support/test-rows.ts";

describe("the decay of aftershocks", () => {
  it("is counted in five bins for each decade of days", () => {
    const bins = decayBins(Float64Array.of(0.01, 0.05, 1, 10), { start: 0.01, end: 10 }, null);
    expect(bins).toHaveLength(15);
    expect(bins.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(4);
    expect([bins[0]?.count, bins[10]?.count, bins[14]?.count]).toEqual([1, 1, 1]);
    expect(bins[10]?.from).toBeCloseTo(1, 12);
    expect(bins[0]?.expected).toBeNull();
  });

  it("has every event of the window between the edges of its bin", () => {
    const within = fc.double({ min: 0.01, max: 50, noNaN: true });
    fc.assert(
      fc.property(fc.array(within, { minLength: 1 }), fc.boolean(), (given, fromStart) => {
        const days = Float64Array.from(given);
        const bins = decayBins(days, { start: fromStart ? 0.01 : 0, end: 50 }, null);
        for (const { from, to, count } of bins) {
          const isLast = to === 50;
          const inside = given.filter((day) => day >= from && (day < to || isLast));
          expect(inside).toHaveLength(count);
        }
      }),
    );
  });

  it("expects as many events as there are, by the law that was fitted to them", () => {
    const days = Float64Array.from(syntheticS3());
    const bins = decayBins(days, { start: 0.01, end: 100 }, { K: 66.212, c: 0.039741, p: 1.07156 });
    const expected = bins.reduce((sum, bin) => sum + (bin.expected ?? 0) * (bin.to - bin.from), 0);
    const seen = bins.reduce((sum, { count }) => sum + count, 0);
    expect(Math.abs(expected - seen)).toBeLessThan(3 * Math.sqrt(seen));
  });

  it("of an empty window has no bins", () => {
    expect(decayBins(Float64Array.of(), { start: 5, end: 5 }, null)).toEqual([]);
    expect(decayBins(Float64Array.of(), { start: 0, end: 5 }, null)).toEqual([]);
  });
});

testRows(
  "a time is a decimal year",
  [
    ["2022-01-01T00:00:00Z", 2022],
    ["2024-07-02T00:00:00Z", 2024.5],
    ["0060-01-01T00:00:00Z", 60],
    ["0099-07-02T12:00:00Z", 99.5],
  ],
  (time, year) => {
    expect(decimalYear(Date.parse(time))).toBeCloseTo(year, 9);
  },
);

describe("cells of a density", () => {
  it("hold what lies on their southern and western edges", () => {
    expect([-39, -38.95, -38.9, 0, 0.3].map((latitude) => cellOf(latitude, 0.1))).toEqual([
      -390, -390, -389, 0, 3,
    ]);
    expect(edgeOfCell(-390, 0.1)).toBe(-39);
    expect(edgeOfCell(3, 0.1)).toBe(0.3);
  });

  it("begin with a written coordinate that is a multiple of their size", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1800, max: 1799 }), (tenths) => {
        expect(cellOf(Number((tenths / 10).toFixed(1)), 0.1)).toBe(tenths);
        expect(edgeOfCell(tenths, 0.1)).toBe(Number((tenths / 10).toFixed(1)));
      }),
    );
  });

  it("are the same for both longitudes of the date line", () => {
    for (const longitude of [180, 179.99999999999997, -180]) {
      expect(cellOfLongitude(longitude, 0.1)).toBe(-1800);
      expect(cellOfLongitude(longitude, 30)).toBe(-6);
    }
    fc.assert(
      fc.property(fc.double({ min: -180, max: 179.999, noNaN: true }), (longitude) => {
        expect(cellOfLongitude(longitude, 0.1)).toBe(cellOf(longitude, 0.1));
      }),
    );
  });
});

describe.skipIf(!hasRealData)("the density of real events", () => {
  it("of GeoNet has 42 cells of 0.1°, most events in that from −39.0, 175.7 on", () => {
    const counts = new Map<string, number>();
    for (const { latitude, longitude } of readQuakesearch("G")) {
      const cells = [cellOf(latitude, 0.1), cellOfLongitude(longitude, 0.1)];
      const place = cells.map((cell) => edgeOfCell(cell, 0.1)).join();
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    expect(counts.size).toBe(42);
    expect(counts.get("-39,175.7")).toBe(3486);
    expect(Math.max(...counts.values())).toBe(3486);
  });
});

function countsOf(depths: readonly number[], width: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const depth of depths) {
    const bin = depthBinOf(depth, width);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  return counts;
}

describe("depths", () => {
  it("belong to the bin that begins with them", () => {
    expect([0, 4.999, 5, -0.1, 15].map((depth) => depthBinOf(depth, 5))).toEqual([0, 0, 1, -1, 3]);
    expect(depthBinOf(0.3, 0.1)).toBe(3);
  });

  it("are counted in bins without a gap", () => {
    expect(binsOf(countsOf([-2, 11, 12], 5), 5, 6)).toEqual([
      { from: -5, to: 0, count: 1 },
      { from: 0, to: 5, count: 0 },
      { from: 5, to: 10, count: 0 },
      { from: 10, to: 15, count: 2 },
    ]);
    expect(binsOf(new Map(), 5, 6)).toEqual([]);
  });

  it("are all counted, between their bin's edges", () => {
    const depths = fc.array(fc.double({ min: -10, max: 1000, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(depths, fc.constantFrom(0.5, 1, 5, 10), (given, width) => {
        const bins = binsOf(countsOf(given, width), width, 6);
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(given.length);
        expect(bins[0]?.from).toBeLessThanOrEqual(Math.min(...given) + 1e-6);
        expect(bins.at(-1)?.to).toBeGreaterThan(Math.max(...given));
      }),
    );
  });
});

describe("fixed depths", () => {
  const events = (depth: number, count: number, assigned = 0) =>
    Array.from({ length: count }, (_, i) => ({ depth, isAssigned: i < assigned }));

  it("are those that were assigned and values that more than 5 % of the events have", () => {
    const given = [...events(10, 6, 2), ...events(33, 5, 1), ...events(7.2, 89)];
    expect(fixedDepths(depthGroups(given))).toEqual({
      count: 6 + 1 + 89,
      assigned: 3,
      values: [
        { depth: 7.2, count: 89 },
        { depth: 10, count: 6 },
      ],
    });
  });

  it("of nothing are none", () => {
    expect(fixedDepths(depthGroups([]))).toEqual({ count: 0, assigned: 0, values: [] });
  });
});

describe.skipIf(!hasRealData)("the depths of real events", () => {
  it("of GeoNet in bins of 5 km", () => {
    const rows = readQuakesearch("G");
    const depths = rows.flatMap(({ depth }) => depth ?? []);
    expect(binsOf(countsOf(depths, 5), 5, 6).map(({ count }) => count)).toEqual([
      1662, 14_082, 1508, 92, 33, 20,
    ]);
    const fixed = fixedDepths(
      depthGroups(
        rows.flatMap(({ depth, depthtype }) =>
          depth === null ? [] : { depth, isAssigned: depthtype === "operator assigned" },
        ),
      ),
    );
    expect(fixed).toEqual({ count: 8502, assigned: 8415, values: [{ depth: 5, count: 7687 }] });
  });
});

const unit = fc.constantFrom(...CALENDAR_UNITS);
const ms = fc.double({ min: -62_135_596_800_000, max: 253_402_300_799_000, noNaN: true });

function iso(time: number): string {
  return new Date(time).toISOString();
}

describe("units of the calendar", () => {
  testRows(
    "begin and end with the calendar",
    [
      ["day", "2024-02-29T23:59:59.999Z", "2024-02-29", "2024-03-01"],
      ["week", "2024-12-30T00:00:00.000Z", "2024-12-30", "2025-01-06"],
      ["week", "2024-12-29T23:59:59.999Z", "2024-12-23", "2024-12-30"],
      ["month", "1969-12-31T12:00:00.000Z", "1969-12-01", "1970-01-01"],
      ["year", "0099-06-01T00:00:00.000Z", "0099-01-01", "0100-01-01"],
      ["year", "1999-12-31T23:59:59.999Z", "1999-01-01", "2000-01-01"],
    ] as const,
    (name, time, start, end) => {
      const begin = startOfUnit(name, Date.parse(time));
      expect(iso(begin).slice(0, 10)).toBe(start);
      expect(iso(endOfUnit(name, begin)).slice(0, 10)).toBe(end);
    },
  );

  it("hold every instant once, between their beginning and the next", () => {
    fc.assert(
      fc.property(unit, ms, (name, time) => {
        const start = startOfUnit(name, time);
        const end = endOfUnit(name, start);
        expect(start <= time && time < end).toBe(true);
        expect(startOfUnit(name, start)).toBe(start);
        expect(startOfUnit(name, end)).toBe(end);
      }),
    );
  });
});

describe("numbers of events per unit", () => {
  const times = fc.array(fc.integer({ min: 0, max: 20 * 86_400_000 }), { minLength: 1 });

  function binsOf(name: (typeof CALENDAR_UNITS)[number], given: readonly number[]) {
    const period = { from: Math.min(...given), to: Math.max(...given) };
    return rateBins(name, countsByUnit(name, given), period);
  }

  it("count every event, in units without a gap, in any order of the events", () => {
    fc.assert(
      fc.property(unit, times, (name, given) => {
        const bins = binsOf(name, given);
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(given.length);
        expect(bins.at(-1)?.cumulative).toBe(given.length);
        bins.slice(1).forEach((bin, i) => {
          expect(bin.start).toBe(bins[i]?.end);
        });
        expect(binsOf(name, given.toReversed())).toEqual(bins);
      }),
    );
  });

  it("say that the first and the last unit are partial, where the period cuts them", () => {
    const day = (n: number) => Date.UTC(2023, 2, n);
    const counts = countsByUnit("day", [day(2) + 1, day(4)]);
    const cut = rateBins("day", counts, { from: day(2) + 1, to: day(4) });
    expect(cut.map(({ count, partial }) => [count, partial])).toEqual([
      [1, true],
      [0, false],
      [1, true],
    ]);
    const whole = rateBins("day", counts, { from: day(2), to: day(5) });
    expect(whole.map(({ partial }) => partial)).toEqual([false, false, false, true]);
  });
});

describe.skipIf(!hasRealData)("numbers of real events", () => {
  it("of Kawerau per day from 17 March 2023 on", () => {
    const times = readQuakesearch("K").map(({ origintime }) => Date.parse(origintime));
    const period = { from: Math.min(...times), to: Math.max(...times) };
    const bins = rateBins("day", countsByUnit("day", times), period);
    expect(iso(bins[0]?.start ?? 0)).toBe("2023-03-17T00:00:00.000Z");
    expect(bins.map(({ count }) => count)).toEqual([249, 387, 149, 108, 62, 41, 18, 9, 11, 17]);
  });

  it("of GeoNet from magnitude 2 on per month: 439 of 509 have some, June 2009 most", () => {
    const times = readQuakesearch("G")
      .filter(({ magnitude }) => magnitude >= 2)
      .map(({ origintime }) => Date.parse(origintime));
    const period = { from: Math.min(...times), to: Math.max(...times) };
    const bins = rateBins("month", countsByUnit("month", times), period);
    const most = bins.reduce((a, b) => (b.count > a.count ? b : a));
    expect(times).toHaveLength(4453);
    expect(bins).toHaveLength(509);
    expect(bins.filter(({ count }) => count > 0)).toHaveLength(439);
    expect([iso(most.start).slice(0, 7), most.count]).toEqual(["2009-06", 216]);
  });
});

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

describe("seismic moments", () => {
  it("are 10^(1.5 Mw + 9.1) N·m, the energy 10^(1.5 M + 4.8) J", () => {
    expect(momentOf(6) / 10 ** 18.1).toBeCloseTo(1, 12);
    expect(energyOfMoment(momentOf(5)) / 10 ** 12.3).toBeCloseTo(1, 12);
  });

  it("give their magnitude back", () => {
    fc.assert(
      fc.property(fc.double({ min: -3, max: 10, noNaN: true }), (mw) => {
        expect(magnitudeOfMoment(momentOf(mw))).toBeCloseTo(mw, 12);
      }),
    );
  });

  testRows(
    "of a type stand for Mw or not",
    [
      ["Mw", true],
      ["mww", true],
      ["Mw(mB)", true],
      ["ML", true],
      ["MLv", true],
      ["M", true],
      ["m", true],
      ["", true],
      [null, true],
      ["mb", false],
      ["mB", false],
      ["Ms", false],
      ["MS_20", false],
      ["Md", false],
      ["Mc", false],
      ["mbLg", false],
      ["Me", false],
    ],
    (type, expected) => {
      expect(isMomentType(type)).toBe(expected);
    },
  );

  it("add up, in any order and however they are grouped", () => {
    const magnitudes = fc.array(fc.double({ min: -3, max: 10, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(magnitudes, fc.nat(), (given, cut) => {
        const whole = totalMoment(momentGroups(given));
        const at = cut % given.length;
        const parts = [given.slice(at), given.slice(0, at)].flatMap((part) => {
          const sum = totalMoment(momentGroups(part));
          return sum === null ? [] : [{ count: sum.n, moment: sum.total, largest: sum.largest }];
        });
        const sum = totalMoment(parts);
        expect(sum?.n).toBe(given.length);
        expect(sum?.largest).toBe(Math.max(...given));
        expect((sum?.total ?? 0) / (whole?.total ?? 0)).toBeCloseTo(1, 13);
        expect(whole?.largestShare).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });

  it("of no events are none", () => {
    expect(totalMoment([])).toBeNull();
  });
});

describe.skipIf(!hasRealData)("the moment of real events", () => {
  it("of GeoNet, all types taken as Mw", () => {
    const total = totalMoment(momentGroups(readQuakesearch("G").map(({ magnitude }) => magnitude)));
    expect(total?.n).toBe(17_397);
    expect((total?.total ?? 0).toExponential(5)).toBe("5.39804e+17");
    expect(total?.mw.toFixed(5)).toBe("5.75482");
    expect((100 * (total?.largestShare ?? 0)).toFixed(4)).toBe("23.0549");
  });
});

const DAY_MS = 86_400_000;

function fitOf(days: readonly number[], start: number, end: number) {
  const { estimate, warnings } = omoriUtsu(days, { start, end });
  if (estimate === null) throw new Error("no estimate");
  const { sigmaK, sigmaC, sigmaP } = estimate;
  if (sigmaK === null || sigmaC === null || sigmaP === null) throw new Error("no errors");
  return { ...estimate, sigmaK, sigmaC, sigmaP, codes: warnings.map(({ code }) => code) };
}

describe("integrals of Omori and Utsu's law", () => {
  const c = fc.double({ min: 1e-5, max: 100, noNaN: true });
  const p = fc.double({ min: -1, max: 10, noNaN: true });

  it("are those of the quadrature, at p = 1 too", () => {
    const window = { start: 0.01, end: 50 };
    fc.assert(
      fc.property(
        c,
        fc.oneof(p, fc.constantFrom(1, 1 + 1e-9, 1 - 1e-5, 1.0001)),
        (offset, power) => {
          const integral = omoriIntegral(offset, power, window);
          const quadrature = logMoment(power, 0, { c: offset, window });
          expect(integral / quadrature).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it("of two windows are that of both", () => {
    const whole = omoriIntegral(0.05, 1.1, { start: 0, end: 100 });
    const parts =
      omoriIntegral(0.05, 1.1, { start: 0, end: 3 }) +
      omoriIntegral(0.05, 1.1, { start: 3, end: 100 });
    expect(parts).toBeCloseTo(whole, 12);
  });
});

describe("Omori and Utsu's law", () => {
  it("has the parameters of Ogata's program for the synthetic sequence", () => {
    const fit = fitOf(syntheticS3(), 0, 100);
    expect(fit.n).toBe(500);
    expect(fit.K.toFixed(3)).toBe("66.212");
    expect(fit.sigmaK.toFixed(3)).toBe("4.632");
    expect(fit.c.toFixed(6)).toBe("0.039741");
    expect(fit.sigmaC.toFixed(5)).toBe("0.01088");
    expect(fit.p.toFixed(5)).toBe("1.07156");
    expect(fit.sigmaP.toFixed(5)).toBe("0.03103");
    expect(fit.lnL.toFixed(3)).toBe("1421.598");
    expect(fit.aic).toBeCloseTo(-2 * 1421.598 + 6, 2);
    expect(fit.ksP).toBeGreaterThan(0.05);
    expect(fit.codes).toEqual(["EARLY_START"]);
  });

  it("is most likely at its parameters", () => {
    const days = Float64Array.from(syntheticS3());
    const window = { start: 0, end: 100 };
    const { K, c, p, lnL } = maximiseOmori(days, window);
    const logs = (offset: number) => days.reduce((sum, day) => sum + Math.log(day + offset), 0);
    const likelihood = (k: number, offset: number, power: number) =>
      days.length * Math.log(k) - power * logs(offset) - k * omoriIntegral(offset, power, window);
    expect(likelihood(K, c, p)).toBeCloseTo(lnL, 8);
    fc.assert(
      fc.property(
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        fc.double({ min: 0.2, max: 5, noNaN: true }),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        (a, b, d) => {
          expect(likelihood(K * a, c * b, p * d)).toBeLessThanOrEqual(lnL + 1e-8);
        },
      ),
    );
  });

  it("finds the parameters of a long sequence within four of their errors, in any order", () => {
    const law = { c: fc.constantFrom(0.01, 0.1, 0.5), p: fc.constantFrom(0.8, 1.1, 1.4) };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 30 }), fc.record(law), (seed, { c, p }) => {
        const draw = parkMiller(seed);
        const days = Array.from({ length: 3000 }, () => omoriDelay(draw(), c, p, 200));
        const fit = fitOf(days, 0, 200);
        expect(Math.abs(fit.c - c)).toBeLessThan(4.5 * fit.sigmaC);
        expect(Math.abs(fit.p - p)).toBeLessThan(4.5 * fit.sigmaP);
        expect(fitOf(days.toReversed(), 0, 200)).toEqual(fit);
      }),
      { numRuns: runs(20) },
    );
  });

  it("counts only what is in the window, and needs 30 of it", () => {
    const days = syntheticS3();
    const few = days.toSorted((a, b) => a - b).slice(0, 29);
    expect(omoriUtsu([...few, 101, -1], { start: 0, end: 100 })).toEqual({
      estimate: null,
      reason: "Omori and Utsu's law needs 30 events in the window",
      n: 29,
      required: 30,
      warnings: [],
    });
    expect(fitOf([...days, 101, -1], 0, 100)).toEqual(fitOf(days, 0, 100));
  });

  it("says that c is at its bound where the rate does not fall", () => {
    const even = Array.from({ length: 100 }, (_, i) => i + 0.5);
    expect(fitOf(even, 0.01, 100).codes).toContain("C_AT_BOUND");
  });
});

describe.skipIf(!hasRealData)("Omori and Utsu's law of real sequences", () => {
  it("of Ridgecrest from magnitude 3 on, from 0.05 to 6.9 days", () => {
    const main = Date.parse("2019-07-06T03:19:53.040Z");
    const days = readCsepSample()
      .filter(({ M }) => M >= 3)
      .map(({ time_string: time }) => (Date.parse(`${time.slice(0, 23)}Z`) - main) / DAY_MS);
    const fit = fitOf(days, 0.05, 6.9);
    expect(fit.n).toBe(410);
    expect([fit.K.toFixed(3), fit.sigmaK.toFixed(3)]).toEqual(["93.741", "8.445"]);
    expect([fit.c.toFixed(5), fit.sigmaC.toFixed(5)]).toEqual(["0.03361", "0.03690"]);
    expect([fit.p.toFixed(5), fit.sigmaP.toFixed(5)]).toEqual(["0.95774", "0.08143"]);
  });

  it("of Kawerau from magnitude 2 on after its largest event, from 0.01 to 9 days", () => {
    const rows = readQuakesearch("K").filter(({ magnitude }) => magnitude >= 2);
    const main = rows.reduce((a, b) => (b.magnitude > a.magnitude ? b : a));
    const days = rows.map(
      ({ origintime }) => (Date.parse(origintime) - Date.parse(main.origintime)) / DAY_MS,
    );
    const fit = fitOf(days, 0.01, 9);
    expect(main.magnitude.toFixed(3)).toBe("4.926");
    expect(fit.n).toBe(561);
    expect([fit.K.toFixed(1), fit.sigmaK.toFixed(1)]).toEqual(["531.6", "238.0"]);
    expect([fit.c.toFixed(4), fit.sigmaC.toFixed(4)]).toEqual(["0.8163", "0.2245"]);
    expect([fit.p.toFixed(4), fit.sigmaP.toFixed(4)]).toEqual(["2.0867", "0.2454"]);
    expect(fit.codes).toEqual(["P_UNUSUAL"]);
  });
});
