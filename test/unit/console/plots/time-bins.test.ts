import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stretchOf, timeBins, timeTicks } from "#services/console/plots/chart/time-bins.ts";

const times = fc.array(fc.integer({ min: -2e12, max: 2e12 }), { minLength: 1, maxLength: 50 });

describe("bins of time", () => {
  test("hold every event of the stretch once", () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 300 }), (found, bins) => {
        const time = Float64Array.from(found);
        const stretch = stretchOf(time);
        const { counts } = timeBins(time, null, stretch, bins);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(found.length);
        expect(stretch[0]).toBeLessThan(stretch[1]);
      }),
    );
    const some = timeBins(Float64Array.of(0, 5, 10), Uint32Array.of(0, 2), [0, 10], 2);
    expect([...some.counts]).toEqual([1, 1]);
  });

  test("have marks at round times, no more than asked for", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -2e12, max: 2e12 }),
        fc.integer({ min: 7_200_000, max: 3e12 }),
        (from, length) => {
          const ticks = timeTicks(from, from + length, 8);
          expect(ticks.length).toBeLessThanOrEqual(10);
          for (const { at, label } of ticks) {
            expect(at >= from && at <= from + length).toBe(true);
            expect(Date.parse(label.replace(" ", "T") + (label.includes(" ") ? "Z" : ""))).toBe(at);
          }
        },
      ),
    );
    const labels = timeTicks(Date.UTC(1980, 5), Date.UTC(2022, 5), 10).map(({ label }) => label);
    expect(labels).toEqual(["1985", "1990", "1995", "2000", "2005", "2010", "2015", "2020"]);
  });
});

test("the axis of a time in the first century has the years of that century", () => {
  const [from, to] = [new Date("0040-01-01T00:00:00Z"), new Date("0060-01-01T00:00:00Z")];
  const labels = timeTicks(from.getTime(), to.getTime(), 6).map(({ label }) => label.slice(0, 4));
  expect(labels[0]).toBe("0040");
  expect(labels.length).toBeGreaterThan(2);
});
