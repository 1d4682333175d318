import { describe, expect, test } from "vitest";
import { arrivalRows } from "#services/console/features/bulletin/arrival-rows.ts";
import { stationMagnitudeChart } from "#services/console/features/bulletin/station-magnitude-chart.ts";
import { stationMagnitudeRows } from "#services/console/features/bulletin/station-magnitudes.ts";
import { stationsOf } from "#services/console/features/bulletin/stations.ts";
import { travelTimes } from "#services/console/features/bulletin/travel-times.ts";
import { SMALL_BULLETIN } from "./small-bulletin.ts";

const [, ORIGIN] = SMALL_BULLETIN.origin ?? [];
const rows = ORIGIN ? arrivalRows(ORIGIN, SMALL_BULLETIN) : [];

describe("the arrivals of an origin", () => {
  test("stand with their picks, the nearest first, those without a distance last", () => {
    expect(rows.map(({ station, channel, phase }) => [station, channel, phase])).toEqual([
      ["NZ.HSRZ", "EHZ", "pP"],
      ["NZ.WEL", "10.HHN", "S"],
      ["NZ.WEL", "10.HHZ", "P"],
      ["", "", "Pn"],
    ]);
  });

  test("have travel times from the origin to the pick, where there is a pick", () => {
    expect(rows.map(({ travelTime }) => travelTime)).toEqual([4, 16.249999, 10, null]);
    expect(rows.map(({ time }) => time)).toEqual([
      "2024-05-07T08:24:14.000001Z",
      "2024-05-07T08:24:26.25Z",
      "2024-05-07T08:24:20.000001Z",
      null,
    ]);
  });

  test("are used unless the location gave them no weight", () => {
    expect(rows.map(({ isUsed, weight }) => [isUsed, weight])).toEqual([
      [false, 0],
      [true, 0.5],
      [true, null],
      [true, null],
    ]);
  });

  test("make stations where they say where these lie", () => {
    expect(stationsOf(rows)).toEqual([
      {
        station: "NZ.HSRZ",
        azimuth: 350,
        distance: 0.2,
        phases: ["pP"],
        residual: null,
        isUsed: false,
      },
      {
        station: "NZ.WEL",
        azimuth: 10,
        distance: 0.5,
        phases: ["S", "P"],
        residual: 0.4,
        isUsed: true,
      },
    ]);
  });
});

describe("the chart of travel times", () => {
  test("has travel times above residuals, by what the phases are, each named once", () => {
    const chart = travelTimes(rows);
    expect(
      chart?.panels.map(({ marks }) =>
        marks.map((mark) => mark.kind !== "image" && "points" in mark && [mark.name, mark.points]),
      ),
    ).toEqual([
      [
        ["P phases", [[0.5, 10]]],
        [undefined, [[0.2, 4]]],
        ["S phases", [[0.5, 16.249999]]],
      ],
      [
        [
          undefined,
          [
            [0, 0],
            [expect.any(Number), 0],
          ],
        ],
        [undefined, [[0.5, -0.1]]],
        [undefined, [[0.5, 0.4]]],
      ],
    ]);
    expect(chart?.notes).toEqual(["Hollow: given no weight"]);
  });

  test("is not there without a distance, or without anything to draw over it", () => {
    expect(travelTimes(rows.map((row) => ({ ...row, distance: null })))).toBeNull();
    const empty = rows.map((row) => ({ ...row, travelTime: null, residual: null }));
    expect(travelTimes(empty)).toBeNull();
    const residuals = travelTimes(rows.map((row) => ({ ...row, travelTime: null })));
    expect(residuals?.panels.map(({ y }) => y.label)).toEqual(["Residual, s"]);
  });
});

describe("magnitudes by station", () => {
  const [network, other, alone] = SMALL_BULLETIN.magnitude ?? [];

  test("are those that contributed, with the stations of their amplitudes and distances of arrivals", () => {
    const found = network && stationMagnitudeRows(SMALL_BULLETIN, network);
    expect(found).toEqual([
      {
        station: "NZ.HSRZ",
        channel: "EHZ",
        value: 1.2,
        residual: -0.25,
        weight: 0,
        distance: 0.2,
        isUsed: false,
      },
      {
        station: "NZ.WEL",
        channel: "HHN",
        value: 1.5,
        residual: expect.closeTo(0.1, 9),
        weight: 1,
        distance: 0.5,
        isUsed: true,
      },
    ]);
    const chart = stationMagnitudeChart("ML 1.4", 1.4, found ?? []);
    expect(chart?.panels[0]?.marks.map((mark) => mark.kind !== "image" && mark.name)).toEqual([
      "ML 1.4",
      "Stations",
      undefined,
    ]);
  });

  test("are those of the magnitude's origin and type where it lists no contributions", () => {
    const { stationMagnitudeContribution: _, ...unlisted } = network ?? (alone as never);
    const found = stationMagnitudeRows(SMALL_BULLETIN, unlisted);
    expect(found.map(({ station, weight }) => [station, weight])).toEqual([
      ["NZ.HSRZ", null],
      ["NZ.WEL", null],
    ]);
    expect(other && stationMagnitudeRows(SMALL_BULLETIN, other)).toEqual([]);
    expect(alone && stationMagnitudeRows(SMALL_BULLETIN, alone)).toEqual([]);
    expect(stationMagnitudeChart("ML", 1, [])).toBeNull();
  });
});
