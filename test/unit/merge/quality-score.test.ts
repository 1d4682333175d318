import { expect, test } from "vitest";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { magnitudeFamily, magnitudeRank } from "#services/domain/events/magnitudes.ts";
import { qualityScore } from "#services/domain/merges/solution/quality-score.ts";
import { testRows } from "../../support/test-rows.ts";

function scoreOf(known: Partial<SeismicEventRecord>) {
  const origin = { time: "2020-01-01T00:00:00Z", latitude: 0, longitude: 0 };
  return qualityScore({ ...emptyRecord(origin), magnitude: 4, ...known });
}

test("the quality score is 100 for the best event and 0 for one of which nothing is known", () => {
  expect(
    scoreOf({
      used_station_count: 31,
      azimuthal_gap: 120,
      standard_error: 0.3,
      magnitude_uncertainty: 0.1,
      magnitude_type: "Mww",
      evaluation_status: "final",
      evaluation_mode: "manual",
    }),
  ).toEqual({
    stations: 25,
    gap: 20,
    rms: 15,
    magnitudeUncertainty: 15,
    magnitudeType: 15,
    review: 10,
    total: 100,
  });
  expect(scoreOf({}).total).toBe(0);
});

test("the quality score is the sum of its parts", () => {
  // log2(8)/5·25 = 15; 10·(1 − 45/90) = 5.
  const score = scoreOf({
    used_station_count: 7,
    azimuthal_gap: 225,
    standard_error: 0.4,
    magnitude_uncertainty: 0.25,
    magnitude_type: "mb",
    evaluation_status: "preliminary",
    evaluation_mode: "manual",
  });
  expect(score).toEqual({
    stations: 15,
    gap: 5,
    rms: 12,
    magnitudeUncertainty: 8,
    magnitudeType: 9,
    review: 4,
    total: 53,
  });
});

testRows(
  "the quality score gives points for what is known, by value and points",
  [
    ["used_station_count", "stations", "0:0 1:5 3:10 15:20 31:25 500:25"],
    ["azimuthal_gap", "gap", "0:0 0.1:20 120:20 120.1:15 180:15 189:9 270:0 270.1:0 360:0"],
    ["standard_error", "rms", "0:0 0.01:15 0.3:15 0.31:12 0.5:12 0.51:8 1:8 1.01:4 2:4 2.01:0"],
    [
      "magnitude_uncertainty",
      "magnitudeUncertainty",
      "0:0 0.1:15 0.11:12 0.2:12 0.21:8 0.3:8 0.31:4 0.5:4 0.51:0",
    ],
  ] as const,
  (attribute, part, points) => {
    for (const [value = "", expected] of points.split(" ").map((one) => one.split(":"))) {
      const score = scoreOf({ [attribute]: Number(value) });
      expect(score[part], value).toBeCloseTo(Number(expected), 12);
    }
  },
);

testRows(
  "the quality score gives points for a magnitude's type",
  [
    [15, "Mw MWC Mwp Mw(mB)"],
    [12, "Ms_20 MS"],
    [9, "mB mb"],
    [6, "MLv ml"],
    [3, "Md Mc"],
    [0, "mb_Lg mbLg M "],
  ],
  (points, types) => {
    for (const magnitude_type of types.split(" ")) {
      expect(scoreOf({ magnitude_type }).magnitudeType, magnitude_type).toBe(points);
    }
  },
);

testRows(
  "the quality score gives points for status and mode",
  [
    ["final", null, 10],
    ["final", "manual", 10],
    ["reviewed", "automatic", 10],
    ["confirmed", null, 6],
    ["confirmed", "manual", 8],
    ["preliminary", "automatic", 2],
    ["preliminary", "manual", 4],
    ["rejected", null, 0],
    [null, "manual", 2],
    [null, null, 0],
  ] as const,
  (status, mode, points) => {
    expect(scoreOf({ evaluation_status: status, evaluation_mode: mode }).review).toBe(points);
  },
);

test("nothing is scored of a magnitude that is unknown", () => {
  const known = { magnitude_type: "Mw", magnitude_uncertainty: 0.1, used_station_count: 3 };
  expect(scoreOf({ ...known, magnitude: null })).toMatchObject({
    magnitudeType: 0,
    magnitudeUncertainty: 0,
    total: 10,
  });
});

test("the magnitude hierarchy is Mww, Mwc, Mwb, Mwr, Mw, Ms, mB, mb, ML, Md, other", () => {
  const types = ["Mww", "Mwc", "Mwb", "Mwr", "Mw", "Ms", "mB", "mb", "ML", "Md", "M"];
  expect(types.map(magnitudeRank)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(magnitudeRank(null)).toBe(10);
});

test("the magnitude hierarchy knows case only to tell mB from mb", () => {
  expect(["mww", "MS", "MB", "Mb", "mL", "MD"].map(magnitudeFamily)).toEqual([
    "Mww",
    "Ms",
    "mB",
    "mb",
    "ML",
    "Md",
  ]);
});
