import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gradeOfQuality } from "#services/domain/statistics/quality/quality-rules.ts";
import { hasRealData } from "../../../support/real-data.ts";
import { type GradedEvent, gradeOf } from "../../../support/statistics/grade-of.ts";
import {
  type QuakesearchRow,
  readQuakesearch,
} from "../../../support/statistics/real-catalogues.ts";
import { testRows } from "../../../support/test-rows.ts";

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
