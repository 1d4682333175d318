import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ComparedEvents,
  compareCatalogues,
  createSlopeRanks,
  type Line,
  magnitudeRegressions,
  ordinaryLeastSquares,
  orthogonalRegression,
  type Points,
  residualsOf,
  theilSen,
} from "#services/domain/analytics/comparison.ts";
import { thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import { originsOf } from "../../support/origins-of.ts";
import { hasRealData, REAL_DATA_DIR } from "../../support/real-data.ts";
import { syntheticS4 } from "../../support/statistics/synthetic.ts";

type Event = {
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly depth: number | null;
  readonly magnitude: number | null;
  readonly type: string | null;
};

function compared(a: readonly Event[], b: readonly Event[]): ComparedEvents {
  const events = [
    ...a.map((event) => ({ ...event, source: 0 })),
    ...b.map((event) => ({ ...event, source: 1 })),
  ];
  const typeNames = [...new Set(events.map(({ type }) => type))];
  return {
    origins: originsOf(events.map((event, row) => ({ ...event, id: String(row) }))),
    depths: Float64Array.from(events, ({ depth }) => depth ?? Number.NaN),
    magnitudes: Float64Array.from(events, ({ magnitude }) => magnitude ?? Number.NaN),
    types: Int32Array.from(events, ({ type }) => typeNames.indexOf(type)),
    typeNames,
  };
}

const OPTIONS = { thresholds: thresholdsOf(16, 100), eta: 1 };

const quake = (minute: number, given: Partial<Event> = {}): Event => ({
  time: new Date(Date.UTC(2020, 0, 1, 0, minute)).toISOString(),
  latitude: -40,
  longitude: 175,
  depth: 10,
  magnitude: 4,
  type: "ML",
  ...given,
});

describe.skipIf(!hasRealData)("the reference result of three agencies around 2011-03-11", () => {
  test("is ComCat against the ISC, five pairs", () => {
    const comparison = compareCatalogues(
      compared(read("isc", "date"), read("comcat", "time")),
      OPTIONS,
    );
    const { time, distance, depth, magnitude } = comparison.residuals;
    expect(comparison.matched).toBe(5);
    const shown = [time, distance, depth, magnitude].map(
      (residual) => residual && [residual.median.toFixed(4), residual.sigma.toFixed(5)],
    );
    expect(shown).toEqual([
      ["0.2200", "1.11195"],
      ["15.1573", "7.43723"],
      ["0.0000", "4.00302"],
      ["-0.0600", "0.10378"],
    ]);
    expect(comparison.regressions).toMatchObject({ estimate: null, n: 5, required: 30 });
  });

  function read(agency: string, timeColumn: string): Event[] {
    const text = readFileSync(join(REAL_DATA_DIR, "csv", `merge3_${agency}.csv`));
    const rows: Record<string, string>[] = parse(text, { columns: true });
    return rows.map((row) => ({
      time: new Date(`${row[timeColumn]?.slice(0, 23)}Z`).toISOString(),
      latitude: Number(row["latitude"]),
      longitude: Number(row["longitude"]),
      depth: Number(row["depth"]),
      magnitude: Number(row["magnitude"]),
      type: null,
    }));
  }
});

describe("a comparison", () => {
  test("counts what each catalogue shares and has alone, by magnitude", () => {
    const a = [quake(0), quake(5, { magnitude: 4.2 }), quake(10, { magnitude: null })];
    const b = [quake(0, { magnitude: 4.1 }), quake(20, { magnitude: 4.2 })];
    const { matched, magnitudes } = compareCatalogues(compared(a, b), OPTIONS);
    expect(matched).toBe(1);
    expect(magnitudes).toEqual([
      { magnitude: 4, a: { matched: 1, unmatched: 0 }, b: { matched: 0, unmatched: 0 } },
      { magnitude: 4.1, a: { matched: 0, unmatched: 0 }, b: { matched: 1, unmatched: 0 } },
      { magnitude: 4.2, a: { matched: 0, unmatched: 1 }, b: { matched: 0, unmatched: 1 } },
    ]);
  });

  test("tells the part of the pairs near a threshold", () => {
    const a = [quake(0), quake(5), quake(10), quake(15)];
    const late = (minute: number, seconds: number) => ({
      time: new Date(Date.UTC(2020, 0, 1, 0, minute, seconds)).toISOString(),
    });
    // 12.8 s and 80 km are 80 %, so 12 s is within, 13 s and 89 km are beyond.
    const b = [
      quake(0, late(0, 12)),
      quake(5, late(5, 13)),
      quake(10, { latitude: -40.8 }),
      quake(15),
    ];
    const { nearThreshold, residuals } = compareCatalogues(compared(a, b), OPTIONS);
    expect(nearThreshold).toBe(0.5);
    expect(residuals.time?.p95).toBeCloseTo(12.85, 9);
  });

  test("leaves out depths and magnitudes that one of the two does not know", () => {
    const a = [quake(0, { depth: null }), quake(5), quake(10, { magnitude: null })];
    const b = [quake(0), quake(5, { depth: 12 }), quake(10)];
    const { residuals } = compareCatalogues(compared(a, b), OPTIONS);
    expect(residuals.time?.n).toBe(3);
    expect(residuals.depth).toMatchObject({ n: 2, median: 1 });
    expect(residuals.magnitude).toMatchObject({ n: 2, median: 0 });
  });

  test("tells magnitude types apart, whatever their case, where there are 10 pairs", () => {
    const many = (n: number, from: number, given: Partial<Event>) =>
      Array.from({ length: n }, (_, i) => quake(5 * (from + i), given));
    const a = [
      ...many(9, 0, { type: "ML" }),
      ...many(3, 9, { type: "ml" }),
      ...many(9, 12, { type: null }),
    ];
    const b = a.map((event) => ({ ...event, type: "Mw", magnitude: 4.5 }));
    const found = compareCatalogues(compared(a, b), OPTIONS).typePairs;
    expect(found).toMatchObject([
      { a: "ML", b: "Mw", n: 12, magnitude: { median: 0.5 }, regressions: { estimate: null } },
    ]);
    expect(found).toHaveLength(1);
  });

  test("of nothing has no residuals", () => {
    const comparison = compareCatalogues(compared([], [quake(0)]), OPTIONS);
    const none = { time: null, distance: null, depth: null, magnitude: null };
    expect(comparison).toMatchObject({ matched: 0, nearThreshold: null, residuals: none });
  });

  test("of a catalogue with its copy has every event in a pair without differences", () => {
    const event = fc.record({
      minute: fc.integer({ min: 0, max: 500 }),
      magnitude: fc.option(fc.integer({ min: 0, max: 80 }).map((tenths) => tenths / 10)),
      longitude: fc.integer({ min: -1800, max: 1800 }).map((tenths) => tenths / 10),
    });
    const distinct = {
      minLength: 1,
      maxLength: 30,
      selector: ({ minute }: { minute: number }) => minute,
    };
    fc.assert(
      fc.property(fc.uniqueArray(event, distinct), (given) => {
        const events = given.map(({ minute, ...rest }) => quake(minute, rest));
        const { matched, residuals, nearThreshold } = compareCatalogues(
          compared(events, events),
          OPTIONS,
        );
        expect(matched).toBe(events.length);
        expect(nearThreshold).toBe(0);
        for (const residual of Object.values(residuals)) {
          expect(residual ?? { median: 0, sigma: 0, p95: 0 }).toMatchObject({
            median: 0,
            sigma: 0,
            p95: 0,
          });
        }
      }),
    );
  });

  test("the other way round has the opposite differences", () => {
    const shifted = fc.array(fc.integer({ min: -150, max: 150 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(shifted, (tenths) => {
        const a = tenths.map((_, i) => quake(5 * i));
        const b = a.map((event, i) => ({
          ...event,
          time: new Date(Date.parse(event.time) + 100 * (tenths[i] ?? 0)).toISOString(),
          depth: 10 + i,
        }));
        const [one, other] = [compared(a, b), compared(b, a)].map(
          (both) => compareCatalogues(both, OPTIONS).residuals,
        );
        expect(other?.time?.median).toBeCloseTo(-(one?.time?.median ?? 0), 9);
        expect(other?.depth?.p05).toBeCloseTo(-(one?.depth?.p95 ?? 0), 9);
        expect(other?.distance).toEqual(one?.distance);
      }),
    );
  });
});

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

test("residuals have a median, a robust σ and quantiles of 5 and 95 %", () => {
  const values = Float64Array.of(0, 9, Number.NaN, -26.6, 0.5, -2.7);
  expect(residualsOf(values)).toEqual({
    n: 5,
    median: 0,
    sigma: expect.closeTo(4.00302, 10),
    p05: expect.closeTo(-21.82, 10),
    p95: expect.closeTo(7.3, 10),
  });
  expect(residualsOf(Float64Array.of(Number.NaN))).toBeNull();
});

test("a shift moves the residuals and leaves their σ", () => {
  const value = fc.integer({ min: -1000, max: 1000 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1 }), value, (values, shift) => {
      const before = residualsOf(Float64Array.from(values));
      const after = residualsOf(Float64Array.from(values, (one) => one + shift));
      expect(after?.median).toBeCloseTo((before?.median ?? 0) + shift, 9);
      expect(after?.p95).toBeCloseTo((before?.p95 ?? 0) + shift, 9);
      expect(after?.sigma).toBeCloseTo(before?.sigma ?? 0, 9);
    }),
  );
});
