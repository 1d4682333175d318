import { describe, expect, test } from "vitest";
import type { Coordinates } from "#contracts/seismic-event/great-circle.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { meanPosition, positionSigmaKm } from "#services/domain/merge/means.ts";
import { mergeGroup } from "#services/domain/merge/merge-group.ts";
import { member, noonPlus, rules } from "./scenario.ts";

const at = (latitude: number, longitude: number): Coordinates => ({ latitude, longitude });

function average(...known: Partial<SeismicEventRecord>[]) {
  const members = known.map((attributes, i) => member("abc".charAt(i), attributes));
  return mergeGroup(members, rules("average"));
}

describe("the average of positions", () => {
  test("the average of positions is the middle when not every member states its uncertainty", () => {
    const { record, reason } = average(
      { latitude: -41, longitude: 174, horizontal_uncertainty: 1 },
      { latitude: -41.2, longitude: 174 },
    );
    expect(record.latitude).toBeCloseTo(-41.1, 12);
    expect(record.longitude).toBeCloseTo(174, 12);
    expect(reason).toMatch(/^mean of 2 events, position weighted equally, time weighted equally; /);
  });

  test("the average of positions is weighted by 1/σ² when every member states it", () => {
    // 1/1² against 1/2²: a fifth of the way from the better to the worse.
    const { record, reason } = average(
      { latitude: 10, horizontal_uncertainty: 1 },
      { latitude: 10.1, horizontal_uncertainty: 2 },
    );
    expect(record.latitude).toBeCloseTo(10.02, 7);
    expect(reason).toMatch(/^mean of 2 events, position weighted by uncertainty, /);
  });

  test("the average of positions takes the uncertainties of latitude and longitude where there is no horizontal one", () => {
    const degrees = { latitude_uncertainty: 0.03, longitude_uncertainty: 0.04 };
    const { record } = average(
      { longitude: 20, ...degrees },
      { longitude: 20.2, horizontal_uncertainty: 0.05 * KM_PER_DEGREE },
    );
    expect(record.longitude).toBeCloseTo(20.1, 9);
  });

  test("the average of positions takes an uncertainty of 0 as not stated", () => {
    const { record } = average(
      { latitude: 10, horizontal_uncertainty: 0 },
      { latitude: 10.1, horizontal_uncertainty: 2 },
    );
    expect(record.latitude).toBeCloseTo(10.05, 9);
  });

  test("the average of positions is right across the date line", () => {
    const { record } = average(
      { latitude: -17, longitude: 179.9 },
      { latitude: -17, longitude: -179.7 },
    );
    expect(record.longitude).toBeCloseTo(-179.9, 9);
    expect(record.latitude).toBeCloseTo(-17, 3);
  });

  test("the average of positions is right over a pole", () => {
    const { record } = average(
      { latitude: 89.9, longitude: 0 },
      { latitude: 89.7, longitude: 180 },
    );
    expect(record.latitude).toBeCloseTo(89.9, 9);
    expect(Math.abs(record.longitude)).toBeCloseTo(180, 9);
  });

  test("the average of positions is the first place where all cancel out, as a group by nearest linkage may", () => {
    const places = [at(0, 10), at(0, 130), at(0, -110)];
    expect(meanPosition(places, [1, 1, 1])).toEqual(at(0, 10));
    expect(meanPosition([at(40, 20), at(-40, -160)], [1, 1])).toEqual(at(40, 20));
  });

  test("the average of positions keeps a place that all members share to the last bit", () => {
    const place = { latitude: -41.123456789, longitude: 174.987654321 };
    expect(average(place, place, place).record).toMatchObject(place);
  });
});

describe("the uncertainty of a position", () => {
  const of = (known: Partial<SeismicEventRecord>) => positionSigmaKm(member("a", known).record);

  test("the uncertainty of a position counts a degree of longitude by the cosine of the latitude", () => {
    const sigma = of({ latitude: 60, latitude_uncertainty: 0.3, longitude_uncertainty: 0.8 });
    expect(sigma).toBeCloseTo(0.5 * KM_PER_DEGREE, 9);
  });

  test("the uncertainty of a position is not stated by half of it", () => {
    expect(of({ latitude_uncertainty: 0.1 })).toBeNull();
    expect(of({ latitude_uncertainty: 0, longitude_uncertainty: 0.2 })).toBeNull();
    expect(of({ latitude_uncertainty: 0.1, longitude_uncertainty: 0 })).toBeNull();
    expect(of({})).toBeNull();
  });
});

describe("the average of times", () => {
  test("the average of times is exact to the microsecond, half a one rounded up", () => {
    const time = (fraction: string) => ({ time: `2020-01-01T12:00:00${fraction}Z` });
    expect(average(time(".000001"), time(".000003")).record.time).toBe(
      "2020-01-01T12:00:00.000002Z",
    );
    expect(average(time(".000001"), time(".000002")).record.time).toBe(
      "2020-01-01T12:00:00.000002Z",
    );
  });

  test("the average of times has the digits that it needs and no fewer than the members have", () => {
    expect(
      average({ time: "2020-01-01T12:00:00Z" }, { time: "2020-01-01T12:00:01Z" }).record.time,
    ).toBe("2020-01-01T12:00:00.5Z");
    expect(
      average({ time: "2020-01-01T12:00:00.00Z" }, { time: "2020-01-01T12:00:02Z" }).record.time,
    ).toBe("2020-01-01T12:00:01.00Z");
  });

  test("the average of times is exact in the year 1000 and weighted where every member states its uncertainty", () => {
    const { record, reason } = average(
      { time: "1000-01-01T00:00:00.000001Z", time_uncertainty: 1 },
      { time: "1000-01-01T00:00:05.000001Z", time_uncertainty: 2 },
    );
    expect(record.time).toBe("1000-01-01T00:00:01.000001Z");
    expect(reason).toMatch(/time weighted by uncertainty/);
  });

  test("the average of times takes an uncertainty of 0 as not stated", () => {
    const { record } = average(
      { time: noonPlus(0), time_uncertainty: 0 },
      { time: noonPlus(5), time_uncertainty: 2 },
    );
    expect(record.time).toBe("2020-01-01T12:00:02.500Z");
  });
});

describe("the magnitude of an average", () => {
  test("the magnitude of an average is that of the best type, with all that belongs to it", () => {
    const { record } = average(
      { magnitude: 5.1, magnitude_type: "ML", magnitude_uncertainty: 0.01 },
      {
        magnitude: 5.6,
        magnitude_type: "Mw",
        magnitude_uncertainty: 0.3,
        magnitude_station_count: 12,
      },
      { magnitude: 5.4, magnitude_type: "mb" },
    );
    expect(record).toMatchObject({
      magnitude: 5.6,
      magnitude_type: "Mw",
      magnitude_uncertainty: 0.3,
      magnitude_station_count: 12,
    });
  });

  test("then of the lowest uncertainty, one that states none being last", () => {
    const { record } = average(
      { magnitude: 5.1, magnitude_type: "ML", used_station_count: 31 },
      { magnitude: 5.2, magnitude_type: "ML", magnitude_uncertainty: 0.2 },
      { magnitude: 5.3, magnitude_type: "ML", magnitude_uncertainty: 0.1 },
    );
    expect(record.magnitude).toBe(5.3);
  });

  test("the magnitude of an average takes an uncertainty of 0 as none", () => {
    const { record } = average(
      { magnitude: 5.1, magnitude_type: "ML", magnitude_uncertainty: 0 },
      { magnitude: 5.2, magnitude_type: "ML", magnitude_uncertainty: 0.9 },
    );
    expect(record).toMatchObject({ magnitude: 5.2, magnitude_uncertainty: 0.9 });
  });

  test("then of the most stations", () => {
    const { record } = average(
      { magnitude: 5.1, magnitude_type: "ML" },
      { magnitude: 5.2, magnitude_type: "ML", magnitude_station_count: 3 },
      { magnitude: 5.3, magnitude_type: "ML", magnitude_station_count: 20 },
    );
    expect(record.magnitude).toBe(5.3);
  });

  test("the magnitude of an average is never of a member without one", () => {
    const { record } = average({ magnitude: null, magnitude_type: "Mww" }, { magnitude: 3.1 });
    expect(record).toMatchObject({ magnitude: 3.1, magnitude_type: null });
    expect(average({}, {}).record.magnitude).toBeNull();
  });
});

describe("the depth of an average", () => {
  test("the depth of an average is that of the lowest uncertainty, with all that belongs to it", () => {
    const { record } = average(
      { depth: 10, depth_uncertainty: 5 },
      { depth: 12, depth_uncertainty: 1, depth_type: "from location" },
      { depth: 33, depth_type: "operator assigned" },
    );
    expect(record).toMatchObject({
      depth: 12,
      depth_uncertainty: 1,
      depth_type: "from location",
    });
  });

  test("the depth of an average takes an uncertainty of 0 as none", () => {
    const { record } = average(
      { depth: 10, depth_uncertainty: 0, used_station_count: 31 },
      { depth: 12, depth_uncertainty: 8 },
    );
    expect(record).toMatchObject({ depth: 12, depth_uncertainty: 8 });
    const unstated = average(
      { depth: 10 },
      { depth: 12, depth_uncertainty: 0, used_station_count: 31 },
    );
    expect(unstated).toMatchObject({ chosen: 1, record: { depth: 12, depth_uncertainty: 0 } });
  });

  test("the depth of an average is the chosen member's where no uncertainty is stated", () => {
    const { record, chosen } = average(
      { depth: 10 },
      { depth: 33, depth_type: "operator assigned", latitude: 0.1 },
      { depth: null, depth_uncertainty: 1, latitude: 0.15 },
    );
    expect(chosen).toBe(1);
    expect(record).toMatchObject({ depth: 33, depth_type: "operator assigned" });
  });
});

describe("everything else of an average", () => {
  test("everything else of an average is that of the member nearest to the mean", () => {
    const { record, chosen, reason } = average(
      { latitude: 0, author: "a", used_station_count: 31 },
      { latitude: 0.1, author: "b" },
      { latitude: 0.3, author: "c" },
    );
    expect(chosen).toBe(1);
    expect(record.author).toBe("b");
    expect(record.used_station_count).toBeNull();
    expect(reason).toMatch(/; nearest to it: B$/);
  });

  test("everything else of an average weighs time and distance by the thresholds, as grouping does", () => {
    // Mean at 4 s and 0.1°. b is off by 11.1 km, 0.22 of its threshold; c by 4 s, 0.25 of its own.
    const { chosen } = average(
      { latitude: 0, time: noonPlus(0) },
      { latitude: 0.2, time: noonPlus(4) },
      { latitude: 0.1, time: noonPlus(8) },
    );
    expect(chosen).toBe(1);
  });

  test("everything else of an average is that of the better of two, which are equally near to their mean", () => {
    const { chosen, reason } = average(
      { latitude: -41.1, longitude: 174.3, time: "2020-01-01T12:00:00.000001Z" },
      { latitude: -41.2, longitude: 174.2, used_station_count: 15 },
    );
    expect(chosen).toBe(1);
    expect(reason).toMatch(/; equally near to it, higher quality score: 20.00 against 0.00$/);
  });

  test("everything else of an average tells the differences from the mean", () => {
    const { record } = average({ latitude: 0 }, { latitude: 0.2, time: noonPlus(3) });
    const apart = { time_difference: 1.5, distance: expect.closeTo(0.1 * KM_PER_DEGREE, 9) };
    expect(record.source_events).toMatchObject([apart, apart]);
  });
});
