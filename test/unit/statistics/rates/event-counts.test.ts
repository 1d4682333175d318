import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALENDAR_UNITS } from "#contracts/query/calendar-units.ts";
import { endOfUnit, startOfUnit } from "#services/domain/statistics/rates/calendar.ts";
import { countsByUnit, rateBins } from "#services/domain/statistics/rates/event-counts.ts";
import { hasRealData } from "../../../support/real-data.ts";
import { readQuakesearch } from "../../../support/statistics/real-catalogues.ts";
import { testRows } from "../../../support/test-rows.ts";

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
