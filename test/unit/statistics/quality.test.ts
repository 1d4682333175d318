import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  steppClasses,
  steppSteps,
  steppTest,
} from "#services/domain/analytics/magnitudes/stepp.ts";
import { gradeOfQuality } from "#services/domain/analytics/quality.ts";
import { hasRealData } from "../../support/real-data.ts";
import {
  distributionOf,
  type GradedEvent,
  gradeOf,
  valueBinOf,
} from "../../support/statistics/oracles.ts";
import { type QuakesearchRow, readQuakesearch } from "../../support/statistics/real-catalogues.ts";
import { testRows } from "../../support/test-rows.ts";

const UNKNOWN: GradedEvent = {
  horizontal_uncertainty: null,
  depth_uncertainty: null,
  time_uncertainty: null,
  azimuthal_gap: null,
  used_station_count: null,
  used_phase_count: null,
  standard_error: null,
  magnitude_uncertainty: null,
  magnitude_station_count: null,
  evaluation_mode: null,
  evaluation_status: null,
};

const BEST: GradedEvent = {
  horizontal_uncertainty: 0,
  depth_uncertainty: 0,
  time_uncertainty: 0,
  azimuthal_gap: 20,
  used_station_count: 40,
  used_phase_count: 80,
  standard_error: 0.1,
  magnitude_uncertainty: 0,
  magnitude_station_count: 20,
  evaluation_mode: "manual",
  evaluation_status: "final",
};

describe("the quality of a solution", () => {
  it("is 100 at best; what is unknown counts as worst and is not documented", () => {
    expect(gradeOf(BEST)).toEqual({ q: 100, grade: "A+", documented: 1 });
    expect(gradeOf(UNKNOWN)).toEqual({ q: 5, grade: "F", documented: 0 });
  });

  it("cannot pass 65 without uncertainties of the location", () => {
    const { horizontal_uncertainty, depth_uncertainty, time_uncertainty } = UNKNOWN;
    const { q, grade, documented } = gradeOf({
      ...BEST,
      horizontal_uncertainty,
      depth_uncertainty,
      time_uncertainty,
    });
    expect([q, grade]).toEqual([65, "B"]);
    expect(documented).toBeCloseTo(0.65, 12);
  });

  testRows(
    "falls with each attribute, rounded half up",
    [
      [{ horizontal_uncertainty: 2 }, 100 - 0.35 * 8],
      [{ horizontal_uncertainty: 99 }, 100 - 0.35 * 40],
      [{ depth_uncertainty: 4 }, 100 - 0.35 * 12],
      [{ time_uncertainty: 0.5 }, 100 - 0.35 * 15],
      [{ azimuthal_gap: 90 }, 100],
      [{ azimuthal_gap: 170 }, 100 - 0.25 * 40],
      [{ azimuthal_gap: 180 }, 100 - 0.25 * 45],
      [{ azimuthal_gap: 234 }, 100 - 0.25 * 48],
      [{ azimuthal_gap: 360 }, 100 - 0.25 * 50],
      [{ used_station_count: 12 }, 100 - 0.25 * 12],
      [{ used_station_count: 7 }, 100 - 0.25 * 21],
      [{ used_station_count: 1 }, 100 - 0.25 * 29],
      [{ used_phase_count: 20 }, 100 - 0.25 * 5],
      [{ used_phase_count: 10 }, 100 - 0.25 * 11.5],
      [{ used_phase_count: 4 }, 100 - 0.25 * 17],
      [{ used_phase_count: 0 }, 100 - 0.25 * 20],
      [{ standard_error: 0.4 }, 100 - 0.15 * 10],
      [{ standard_error: 0.75 }, 100 - 0.15 * 35],
      [{ standard_error: 1.5 }, 100 - 0.15 * 75],
      [{ standard_error: 9 }, 100 - 0.15 * 100],
      [{ magnitude_uncertainty: 0.25 }, 100 - 0.15 * 30],
      [{ magnitude_station_count: 6 }, 100 - 0.15 * 16],
      [{ magnitude_station_count: 3 }, 100 - 0.15 * 30],
      [{ magnitude_station_count: 2 }, 100 - 0.15 * 35],
      [{ magnitude_station_count: 0 }, 100 - 0.15 * 40],
      [{ evaluation_mode: "automatic" as const }, 100 - 0.1 * 20],
      [{ evaluation_status: "confirmed" as const }, 100 - 0.1 * 10],
      [{ evaluation_status: "rejected" as const, evaluation_mode: "automatic" as const }, 90],
    ],
    (worse, expected) => {
      expect(gradeOf({ ...BEST, ...worse }).q).toBe(Math.floor(expected + 0.5 + 1e-9));
    },
  );

  testRows(
    "has its grade",
    [
      [95, "A+"],
      [94, "A"],
      [85, "A"],
      [75, "B+"],
      [65, "B"],
      [45, "C"],
      [44, "D"],
      [35, "D"],
      [34, "F"],
      [0, "F"],
    ] as const,
    (q, grade) => {
      expect(gradeOfQuality(q)).toBe(grade);
    },
  );

  it("is from 0 to 100 and never better with a larger gap or error, or fewer stations", () => {
    const upTo = (max: number) => fc.double({ min: 0, max, noNaN: true });
    fc.assert(
      fc.property(upTo(360), upTo(5), upTo(2), fc.nat(60), (gap, error, sigma, stations) => {
        const event: GradedEvent = {
          ...BEST,
          azimuthal_gap: gap,
          standard_error: error,
          magnitude_uncertainty: sigma,
          used_station_count: stations,
        };
        const { q } = gradeOf(event);
        expect(q >= 0 && q <= 100 && Number.isInteger(q)).toBe(true);
        const worse = [
          { azimuthal_gap: Math.min(360, gap + 30) },
          { standard_error: error + 0.3 },
          { magnitude_uncertainty: sigma + 0.1 },
          { used_station_count: Math.max(0, stations - 3) },
        ];
        for (const change of worse)
          expect(gradeOf({ ...event, ...change }).q).toBeLessThanOrEqual(q);
      }),
    );
  });
});

describe.skipIf(!hasRealData)("the quality of real solutions", () => {
  it("of GeoNet, whose zeros are values", () => {
    const grades = readQuakesearch("G").map((row) => gradeOf(gradedEvent(row)));
    const mean = grades.reduce((sum, { q }) => sum + q, 0) / grades.length;
    const count = (wanted: string) => grades.filter(({ grade }) => grade === wanted).length;
    expect(mean.toFixed(3)).toBe("48.416");
    expect([count("C"), count("D"), count("F")]).toEqual([10_897, 5858, 642]);
  });
});

function gradedEvent(row: QuakesearchRow): GradedEvent {
  return {
    ...UNKNOWN,
    azimuthal_gap: row.azimuthalgap,
    used_station_count: row.usedstationcount,
    used_phase_count: row.usedphasecount,
    standard_error: row.originerror,
    magnitude_uncertainty: row.magnitudeuncertainty,
    magnitude_station_count: row.magnitudestationcount,
    evaluation_mode: row.evaluationmode as GradedEvent["evaluation_mode"],
    evaluation_status: row.evaluationstatus as GradedEvent["evaluation_status"],
  };
}

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

describe("Stepp's test", () => {
  it("finds a constant rate complete over the whole time, σ as T^(−1/2)", () => {
    const { points, completeYears } = steppTest(Array(10).fill(20), 5);
    expect(completeYears).toBe(50);
    const sigma = expect.closeTo(Math.sqrt(20 / 5) / Math.sqrt(5), 12);
    expect(points[0]).toEqual({ years: 5, n: 20, sigma });
    expect((points[3]?.sigma ?? 0) / (points[0]?.sigma ?? 1)).toBeCloseTo(1 / 2, 12);
  });

  it("finds since when events were recorded, whatever their rate", () => {
    const rate = fc.integer({ min: 5, max: 500 });
    fc.assert(
      fc.property(
        rate,
        fc.integer({ min: 3, max: 12 }),
        fc.integer({ min: 3, max: 12 }),
        (count, since, before) => {
          const counts = [...Array(since).fill(count), ...Array(before).fill(0)];
          expect(steppTest(counts, 5).completeYears).toBe(since * 5);
        },
      ),
    );
  });

  it("does not depend on the unit of the rate", () => {
    const counts = [50, 48, 53, 51, 20, 9, 4, 2, 1, 0];
    const once = steppTest(counts, 1).completeYears;
    expect(once).not.toBeNull();
    expect(steppTest(counts, 10).completeYears).toBe((once ?? 0) * 10);
  });

  it("answers nothing for fewer than four times with events", () => {
    expect(steppTest([5, 5, 5], 1).completeYears).toBeNull();
    expect(steppTest([0, 0, 0, 0], 1)).toMatchObject({ completeYears: null });
    expect(steppTest([0], 1).points).toEqual([{ years: 1, n: 0, sigma: null }]);
  });
});

const BINS = { width: 0.1, count: 10 };

describe("the distribution of an attribute", () => {
  it("counts missing values apart from zeros", () => {
    const values = [null, 0, 0, 0.3, 5, null, 0.35];
    const unknown = distributionOf(values, { zeroIsUnknown: true, bins: BINS });
    expect([unknown.n, unknown.missing, unknown.zeros]).toEqual([3, 2, 2]);
    expect([unknown.p05, unknown.p50]).toEqual([expect.closeTo(0.305, 12), 0.35]);
    expect(unknown.bins.filter(({ count }) => count > 0)).toEqual([
      { from: 0.3, to: 0.4, count: 2 },
      { from: 1, to: null, count: 1 },
    ]);
    expect(distributionOf(values, { zeroIsUnknown: false, bins: BINS }).n).toBe(5);
  });

  it("of nothing has neither percentiles nor bins", () => {
    const none = distributionOf([null], { zeroIsUnknown: true, bins: BINS });
    expect(none).toMatchObject({ n: 0, missing: 1, p50: null, bins: [] });
  });

  it("has every value in one bin, in any order", () => {
    const value = fc.option(fc.double({ min: 0, max: 3, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(fc.array(value), fc.boolean(), (values, zeroIsUnknown) => {
        const found = distributionOf(values, { zeroIsUnknown, bins: BINS });
        const inBins = found.bins.reduce((sum, { count }) => sum + count, 0);
        expect(inBins).toBe(found.n);
        expect(found.n + found.missing + (zeroIsUnknown ? found.zeros : 0)).toBe(values.length);
        expect(distributionOf(values.toReversed(), { zeroIsUnknown, bins: BINS })).toEqual(found);
      }),
    );
  });

  it("has values on an edge in the bin that begins there", () => {
    expect([0, 0.3, 0.7, 0.999, 1, 40].map((value) => valueBinOf(value, BINS))).toEqual([
      0, 3, 7, 9, 10, 10,
    ]);
  });
});

describe.skipIf(!hasRealData)("the distribution of real attributes", () => {
  it("of GeoNet's azimuthal gaps and magnitude uncertainties", () => {
    const rows = readQuakesearch("G");
    const gap = distributionOf(
      rows.map(({ azimuthalgap }) => azimuthalgap),
      { zeroIsUnknown: true, bins: { width: 10, count: 36 } },
    );
    expect([gap.p05, gap.p25, gap.p50, gap.p75, gap.p95]).toEqual([51, 90, 128, 174, 271]);
    expect(rows.filter(({ azimuthalgap }) => (azimuthalgap ?? 0) > 180)).toHaveLength(3891);
    const sigma = distributionOf(
      rows.map(({ magnitudeuncertainty }) => magnitudeuncertainty),
      { zeroIsUnknown: true, bins: BINS },
    );
    expect((sigma.zeros / rows.length).toFixed(2)).toBe("0.46");
  });
});
