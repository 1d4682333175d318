import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { histogramOf, magnitudeOf } from "#contracts/analytics/histogram.ts";
import { bandPath, legendOf, linePath } from "#contracts/plots/chart.ts";
import {
  barsPath,
  linearOver,
  niceTicks,
  placeOn,
  rangeOf,
  ticksOn,
  timeTicks,
} from "#contracts/plots/scale.ts";
import { drawInterEvent, drawOverTime } from "#services/console/features/analytics/drawings.ts";
import { magnitudeBins, stretchOf, timeBins } from "#services/console/plots/histogram.ts";

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

test("ticks are round numbers within their range, with equal steps", () => {
  expect(niceTicks(-1, 31, 7)).toEqual([0, 5, 10, 15, 20, 25, 30]);
  expect(niceTicks(175.6, 176.25, 7)).toEqual([175.6, 175.7, 175.8, 175.9, 176, 176.1, 176.2]);
  fc.assert(
    fc.property(
      fc.double({ min: -1_000, max: 1_000, noNaN: true }),
      fc.double({ min: 0.01, max: 1_000, noNaN: true }),
      (from, length) => {
        const ticks = niceTicks(from, from + length, 8);
        expect(ticks.length).toBeLessThanOrEqual(10);
        const slack = length * 1e-9;
        expect(ticks.every((at) => at >= from - slack && at <= from + length + slack)).toBe(true);
      },
    ),
  );
});

const times = fc.array(fc.integer({ min: -2e12, max: 2e12 }), { minLength: 1, maxLength: 50 });

describe("bins of time", () => {
  test("hold every event of the stretch once", () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 300 }), (found, bins) => {
        const time = Float64Array.from(found);
        const stretch = stretchOf(time);
        const counts = timeBins(time, null, stretch, bins);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(found.length);
        expect(stretch[0]).toBeLessThan(stretch[1]);
      }),
    );
    const some = timeBins(Float64Array.of(0, 5, 10), Uint32Array.of(0, 2), [0, 10], 2);
    expect([...some]).toEqual([1, 1]);
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

describe("magnitudes in bins", () => {
  test("are counted with what is larger, and without what is unknown", () => {
    const magnitude = Float32Array.of(2.1, 2.1, 2.3, Number.NaN, 1.9);
    expect(magnitudeBins(magnitude, null)).toEqual({
      magnitudes: [1.9, 2, 2.1, 2.2, 2.3],
      counts: [1, 0, 2, 0, 1],
      cumulative: [4, 3, 3, 1, 1],
      unknown: 1,
    });
    expect(magnitudeBins(magnitude, Uint32Array.of(0, 3)).counts).toEqual([1]);
    expect(magnitudeBins(new Float32Array(), null).magnitudes).toEqual([]);
  });

  test("are the service's bins, whose lower edges belong to them", () => {
    const magnitudes = [1.65, 2.45, 0.05, -0.25, 6.349];
    for (const magnitude of magnitudes) {
      const { first } = histogramOf([magnitude], 0.1);
      const bins = magnitudeBins(Float32Array.of(magnitude), null);
      expect(bins.magnitudes).toEqual([magnitudeOf(first, 0.1)]);
    }
  });

  test("are those of counting each by itself", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -30, max: 100 }), { minLength: 1 }), (tenths) => {
        const values = Float32Array.from(tenths, (tenth) => tenth / 10);
        const { magnitudes, counts, cumulative } = magnitudeBins(values, null);
        magnitudes.forEach((magnitude, i) => {
          const tenth = Math.round(magnitude * 10);
          expect(counts[i]).toBe(tenths.filter((one) => one === tenth).length);
          expect(cumulative[i]).toBe(tenths.filter((one) => one >= tenth).length);
        });
      }),
    );
  });
});

describe("the path of a plot", () => {
  test("leaves a gap where nothing is known", () => {
    expect(linePath([[0, 1], [10, 2.04], null, [20, 3], [30, 4]])).toBe("M0 1L10 2M20 3L30 4");
    expect(linePath([null])).toBe("");
  });

  test("of a band goes forth above and back below, apart on both sides of a gap", () => {
    const upper = [[0, 0], [10, 0], null, [20, 1], [30, 1]] as const;
    const lower = [
      [0, 5],
      [10, 6],
      [15, 6],
      [20, 7],
      [30, 8],
    ] as const;
    expect(bandPath(upper, lower)).toBe("M0 0L10 0L10 6L0 5ZM20 1L30 1L30 8L20 7Z");
  });

  test("of bars stands on the ground, and has none for nothing", () => {
    expect(
      barsPath(
        [
          [0, 10, 40, 100],
          [10, 20, 100, 100],
        ],
        1,
      ),
    ).toBe("M0 100V40H9V100Z");
  });
});

test("a legend has each named mark, in rows that fit", () => {
  const line = (name: string) => ({ kind: "line", name, colour: 0, points: [] }) as const;
  const panel = {
    height: 1,
    y: { kind: "linear", from: 0, to: 1, label: "" },
    marks: [line("first"), { kind: "bars", colour: 1, bars: [] }, line("a longer second")],
  } as const;
  const rows = legendOf({ panels: [panel], facts: ["n = 3"] }, 120);
  expect(rows.map(({ text, row }) => [text, row])).toEqual([
    ["first", 0],
    ["a longer second", 1],
    ["n = 3", 2],
  ]);
});

describe("what is drawn of an analysis", () => {
  test("over time leaves unknown Mc and b open", () => {
    const period = { start: "2020-01-01T00:00:00Z", end: "2020-01-03T00:00:00Z", n: 500 };
    const series = [
      { ...period, mc: 1.6, b: 0.9236, sigma: 0.0429 },
      { ...period, mc: null, b: null, sigma: null },
    ];
    const drawing = drawOverTime({ series }, []);
    const [mc, b] = drawing?.chart.panels ?? [];
    const middle = Date.UTC(2020, 0, 2);
    expect(mc?.marks).toMatchObject([
      {
        kind: "line",
        points: [
          [middle, 1.6],
          [middle, null],
        ],
      },
    ]);
    expect(b?.marks[0]).toMatchObject({
      kind: "band",
      points: [
        [middle, 0.9236 - 0.0429, 0.9236 + 0.0429],
        [middle, null, null],
      ],
    });
    expect(drawing?.table?.rows.map((row) => row.slice(-2))).toEqual([
      ["1.6", "0.92 ± 0.04"],
      ["–", "–"],
    ]);
    expect(drawOverTime({ series: [] }, [])).toBeNull();
  });

  test("of times between events has a Poisson process' as many beside them", () => {
    const bins = [
      { from: 1, to: 10, count: 3 },
      { from: 10, to: 1e9, count: 4 },
    ];
    const estimate = { n: 7, mean: 5, median: 3, min: 1, max: 20, cv: 1, zeros: 0 };
    const [panel] = drawInterEvent({ bins, estimate }, [])?.chart.panels ?? [];
    const expected = panel?.marks.find(({ kind }) => kind === "line");
    const sum =
      expected?.kind === "line"
        ? expected.points.reduce((all, [, value]) => all + (value ?? 0), 0)
        : 0;
    expect(sum).toBeCloseTo(7 * Math.exp(-1 / 5), 9);
  });
});
