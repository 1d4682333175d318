import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Coordinates } from "#contracts/geometry/globe.ts";
import type { MergeStrategy } from "#contracts/merges/config.ts";
import type { GivenGroup, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { meanPosition, positionSigmaKm } from "#services/domain/merges/solution/means.ts";
import { ATTRIBUTE_GROUPS, mergeGroup } from "#services/domain/merges/solution/merge-group.ts";
import type { GroupMember } from "#services/domain/merges/solution/quality-score.ts";
import type { MergeRules } from "#services/domain/merges/solution/strategies.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";
import { member, noonPlus, rules } from "./scenario.ts";

const STRATEGIES = ["quality", "priority", "average", "newest", "complete"] as const;

describe("quality", () => {
  test("the strategy quality keeps the event with the highest score", () => {
    const poor = member("a", { used_station_count: 3, region: "Cook Strait", depth: 10 });
    const good = member("b", { used_station_count: 31 });
    const { record, chosen, reason } = mergeGroup([poor, good], rules("quality"));
    expect(chosen).toBe(1);
    expect(record.used_station_count).toBe(31);
    expect(reason).toBe("higher quality score: 25.00 against 10.00");
  });

  test("the strategy quality settles a tie by more populated fields", () => {
    const members = [member("a", { time: noonPlus(1) }), member("b", { depth: 10 })];
    const { chosen, reason } = mergeGroup(members, rules("quality"));
    expect(chosen).toBe(1);
    expect(reason).toBe("equal quality scores, more populated fields: 3 against 2");
  });

  test("the strategy quality counts no field of an unknown magnitude, and no 0 for unknown, as populated", () => {
    const untold = { magnitude_type: "ML", magnitude_station_count: 9, azimuthal_gap: 0 };
    const members = [member("a", { time: noonPlus(1), ...untold }), member("b", { magnitude: 4 })];
    const { chosen, reason } = mergeGroup(members, rules("quality"));
    expect(chosen).toBe(1);
    expect(reason).toBe("equal quality scores, more populated fields: 3 against 2");
    // The strategy named after its fields counts whatever is not null.
    expect(mergeGroup(members, rules("complete"))).toMatchObject({
      chosen: 0,
      reason: "more populated fields: 5 against 3",
    });
  });

  test("then by the later origin time", () => {
    const members = [member("a"), member("b", { time: "2020-01-01T12:00:00.000001Z" })];
    expect(mergeGroup(members, rules("quality"))).toMatchObject({
      chosen: 1,
      reason:
        "equal quality scores, equally many populated fields, later origin time: 2020-01-01T12:00:00.000001Z against 2020-01-01T12:00:00Z",
    });
  });

  test("then by the order of sources", () => {
    const members = [member("a", {}, { sourceOrder: 1 }), member("b", {}, { sourceOrder: 0 })];
    const { chosen, reason } = mergeGroup(members, rules("quality"));
    expect(chosen).toBe(1);
    expect(reason).toMatch(/equal origin times, earlier in the order of sources: B$/);
  });

  test("then by the id", () => {
    const members = [member("b"), member("a", {}, { sourceOrder: 1 })];
    expect(mergeGroup(members, rules("quality"))).toMatchObject({ chosen: 1 });
  });
});

describe("priority", () => {
  const members = [member("a", { depth: 1 }), member("b"), member("c")];

  test("the strategy priority keeps the event of the source with the label, whatever its case", () => {
    const labelled = [member("a"), member("b", {}, { source: "GeoNet" })];
    expect(mergeGroup(labelled, rules("priority", "geonet"))).toMatchObject({
      chosen: 1,
      reason: "source of priority: GeoNet",
    });
  });

  test("the strategy priority follows the order of sources when it is empty", () => {
    const { chosen, reason } = mergeGroup(members.toReversed(), rules("priority", ""));
    expect(chosen).toBe(2);
    expect(reason).toBe("earlier in the order of sources: A");
  });

  test("the strategy priority follows the order of sources when the group has no event of that source", () => {
    const { chosen, reason } = mergeGroup(members, rules("priority", "ISC"));
    expect(chosen).toBe(0);
    expect(reason).toBe("priority ISC does not decide, earlier in the order of sources: A");
  });

  test("the strategy priority follows the order of sources among several with the label", () => {
    const labelled = members.map((one) => ({ ...one, source: one.eventId === "a" ? "A" : "X" }));
    expect(mergeGroup(labelled, rules("priority", "x")).chosen).toBe(1);
  });
});

describe("newest", () => {
  test("the strategy newest keeps the event with the latest origin time, to the microsecond", () => {
    const members = [
      member("a", { time: "2020-01-01T12:00:00.000002Z" }),
      member("b", { time: "2020-01-01T12:00:00.000001Z", depth: 3 }),
    ];
    expect(mergeGroup(members, rules("newest"))).toMatchObject({
      chosen: 0,
      reason: "later origin time: 2020-01-01T12:00:00.000002Z against 2020-01-01T12:00:00.000001Z",
    });
  });

  test("the strategy newest settles a tie by more populated fields, however the same time is written", () => {
    const members = [
      member("a", { time: "2020-01-01T12:00:00.000Z" }),
      member("b", { time: "2020-01-01T12:00:00Z", depth: 3 }),
    ];
    expect(mergeGroup(members, rules("newest"))).toMatchObject({ chosen: 1 });
  });
});

describe("complete", () => {
  test("the strategy complete keeps the event with the most populated fields; what is under extra does not count", () => {
    const members = [
      member("a", { extra: { x: 1, y: 2, z: 3 }, depth: 5, used_station_count: 31 }),
      member("b", { depth: 5, azimuthal_gap: 300, focal_mechanisms: [{}] }),
    ];
    expect(mergeGroup(members, rules("complete"))).toMatchObject({
      chosen: 1,
      reason: "more populated fields: 5 against 4",
    });
  });

  test("the strategy complete settles a tie by the later origin time", () => {
    const members = [member("a"), member("b", { time: noonPlus(1) })];
    expect(mergeGroup(members, rules("complete"))).toMatchObject({ chosen: 1 });
  });
});

describe("every strategy", () => {
  testRows("keeps an event that is alone as it is", STRATEGIES, (strategy) => {
    const alone = member("a", { time: "2020-01-01T12:00:00.10Z", latitude: 12.345, depth: 7 });
    const { record, chosen, reason } = mergeGroup([alone], rules(strategy));
    expect({ ...record, source_events: null }).toEqual(alone.record);
    expect(record.source_events).toHaveLength(1);
    expect(chosen).toBe(0);
    expect(reason).toBe("only event of its group");
  });

  testRows("does not depend on the order of the members", STRATEGIES, (strategy) => {
    const members = [
      member("a", { latitude: 0.1, longitude: 179.99, time_uncertainty: 0.3 }),
      member("b", { latitude: 0.15, longitude: -179.98, time: noonPlus(0.7) }),
      member("c", { latitude: 0.3, longitude: 179.97, time: noonPlus(0.1) }),
    ];
    const { chosen, ...merged } = mergeGroup(members, rules(strategy));
    const reversed = mergeGroup(members.toReversed(), rules(strategy));
    expect(reversed).toEqual({ ...merged, chosen: 2 - chosen });
  });

  testRows("makes of an event and its copy the event", STRATEGIES, (strategy) => {
    const known = {
      time: "2020-01-01T12:00:00.123Z",
      latitude: -41.123456,
      longitude: 174.654321,
      depth: 12.3,
      magnitude: 4.2,
      magnitude_type: "ML",
      horizontal_uncertainty: 1.5,
    };
    const { record } = mergeGroup([member("a", known), member("b", known)], rules(strategy));
    expect({ ...record, source_events: null }).toEqual(member("a", known).record);
  });

  test("fills gaps in region, event type and focal mechanisms only, from the next best", () => {
    const best = member("a", { used_station_count: 31, region: "Kermadec Islands" });
    const second = member("b", {
      used_station_count: 15,
      region: "Tonga",
      event_type: "earthquake",
      depth: 10,
      author: "someone",
    });
    const third = member("c", {
      used_station_count: 7,
      event_type: "explosion",
      focal_mechanisms: [{ preferredPlane: 1 }],
    });
    const { record } = mergeGroup([third, best, second], rules("quality"));
    expect({ ...record, source_events: null }).toEqual({
      ...best.record,
      event_type: "earthquake",
      focal_mechanisms: [{ preferredPlane: 1 }],
    });
  });

  test("tells where the merged event comes from, by time, then by id", () => {
    const best = member("a", {
      source_id: "2020p1",
      used_station_count: 31,
      time: noonPlus(2.5),
    });
    const other = member("b", { latitude: 0.1 });
    const { record } = mergeGroup([best, other], rules("quality"));
    expect(record.source_events).toEqual([
      {
        catalogue_id: "catalogue b",
        event_id: "b",
        source_id: null,
        source: "B",
        time_difference: 2.5,
        distance: expect.closeTo(11.119508, 6),
        quality_score: 0,
        chosen: false,
      },
      {
        catalogue_id: "catalogue a",
        event_id: "a",
        source_id: "2020p1",
        source: "A",
        time_difference: 0,
        distance: 0,
        quality_score: 25,
        chosen: true,
      },
    ]);
  });

  test("refuses a group of nobody", () => {
    expect(() => mergeGroup([], rules("quality"))).toThrow(RangeError);
  });
});

const at = (latitude: number, longitude: number): Coordinates => ({ latitude, longitude });

function average(...known: Partial<SeismicEventRecord>[]) {
  const members = known.map((attributes, i) => member("abc".charAt(i), attributes));
  return mergeGroup(members, rules("average"));
}

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
  const { record } = average({ latitude: 89.9, longitude: 0 }, { latitude: 89.7, longitude: 180 });
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

test("the average of times is exact to the microsecond, half a one rounded up", () => {
  const time = (fraction: string) => ({ time: `2020-01-01T12:00:00${fraction}Z` });
  expect(average(time(".000001"), time(".000003")).record.time).toBe("2020-01-01T12:00:00.000002Z");
  expect(average(time(".000001"), time(".000002")).record.time).toBe("2020-01-01T12:00:00.000002Z");
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

type Prefer = NonNullable<MergeRules["prefer"]>;

function merged(members: readonly GroupMember[], prefer: Prefer, given: Partial<MergeRules> = {}) {
  return mergeGroup(members, { ...rules("quality"), prefer, ...given });
}

function gaveOf({ record }: { record: SeismicEventRecord }) {
  return record.source_events?.map(({ source, gave }) => [source, gave]);
}

describe("a group of attributes that is preferred by itself", () => {
  // A has the best score, B is later, C has the most attributes.
  const isc = member("a", {
    used_station_count: 31,
    agency_id: "ISC",
    magnitude: 5,
    magnitude_type: "mb",
    magnitude_station_count: 1,
    depth: 10,
    extra: { note: "a", method_id: "smi:a.b/c", magnitude_method_id: "smi:a.b/m" },
  });
  const neic = member("b", {
    time: noonPlus(2),
    agency_id: "NEIC",
    magnitude: 5.2,
    magnitude_type: "Mww",
    magnitude_station_count: 9,
    extra: { note: "b", earth_model_id: "smi:a.b/d" },
  });
  const local = member("c", {
    agency_id: "Local",
    magnitude_type: "ML",
    depth: 12,
    region: "Cook Strait",
    azimuthal_gap: 300,
    focal_mechanisms: [{ nodalPlanes: {} }],
  });
  const all = [isc, neic, local];

  test("is that of the first agency of a list that a member has, case ignored", () => {
    const one = merged(all, { location: ["JMA", "local", "NEIC"], magnitude: ["NEIC"] });
    expect(one.record).toMatchObject({ depth: 12, agency_id: "Local", magnitude: 5.2 });
    expect(gaveOf(one)).toEqual([
      ["A", []],
      ["C", ["location", "mechanism"]],
      ["B", ["magnitude"]],
    ]);
    expect(one.reason).toMatch(
      /^higher quality score: .*; location of C: agency local; magnitude of B: agency NEIC$/,
    );
    expect(one.chosen).toBe(0);
  });

  test("is that of the first source of a list that a member is of, case ignored, whatever its agency", () => {
    const one = merged(all, { location: ["source:absent", "Source: b", "local"] });
    expect(one.record).toMatchObject({ time: neic.record.time, agency_id: "NEIC" });
    expect(one.reason).toContain("; location of B: source b");
  });

  test("is that of the merge's strategy where no member is of the agencies", () => {
    const one = merged(all, { location: ["JMA"], magnitude: ["JMA"] });
    expect(one.record).toMatchObject({ depth: 10, agency_id: "ISC", magnitude: 5 });
    expect(one.reason).toContain("; location of A: of nothing preferred, higher quality score");
  });

  test("is that of another strategy", () => {
    const one = merged(all, { location: "newest", magnitude: "average" });
    expect(one.record).toMatchObject({ time: noonPlus(2), depth: null, magnitude: 5.2 });
    expect(one.reason).toContain("; magnitude of B: better type of magnitude: Mww against mb");
  });

  test("is of a member that has any", () => {
    const one = merged(all, { magnitude: ["Local"], mechanism: ["ISC"] });
    expect(one.record.magnitude).toBe(5);
    expect(one.record.focal_mechanisms).toEqual(local.record.focal_mechanisms);
    expect(one.reason).toContain("; mechanism of C: of nothing preferred");
    expect(merged([isc, neic], { mechanism: "newest" }).record.focal_mechanisms).toBeNull();
  });

  test("may be a mean, which is of no member", () => {
    const one = merged(all, { location: "average", magnitude: ["NEIC"] });
    expect(one.givers).toEqual({ location: null, magnitude: "b", mechanism: "c" });
    expect(one.record.time).not.toBe(isc.record.time);
    expect(one.reason).toContain("; location: mean of 3 events");
  });

  test("brings what extra says of it, and whose the magnitude is", () => {
    const one = merged(all, { location: ["NEIC"] });
    expect(one.record.extra).toEqual({
      note: "a",
      earth_model_id: "smi:a.b/d",
      magnitude_method_id: "smi:a.b/m",
      magnitude_agency_id: "ISC",
    });
    const other = merged(all, { magnitude: ["NEIC"] });
    expect(other.record.extra).toEqual({
      note: "a",
      method_id: "smi:a.b/c",
      magnitude_agency_id: "NEIC",
    });
  });

  test("a magnitude of few or unknown stations is taken only where there is no other", () => {
    const of = (least: number, members = all) =>
      mergeGroup(members, { ...rules("quality"), minMagnitudeStations: least });
    expect(of(1).record).toMatchObject({ magnitude: 5, depth: 10 });
    expect(of(2).record).toMatchObject({ magnitude: 5.2, magnitude_type: "Mww", depth: 10 });
    expect(of(2).reason).toContain("; magnitude of B: at least 2 stations");
    expect(of(10).record.magnitude).toBe(5);
    expect(of(10).reason).toContain("; magnitude of A: none of at least 10 stations, higher");
    const unknown = { ...isc, record: { ...isc.record, magnitude_station_count: null } };
    expect(of(1, [unknown, neic]).record.magnitude).toBe(5.2);
    expect(of(1, [unknown]).record.magnitude).toBe(5);
    expect(of(1, [unknown]).record.source_events?.[0]).not.toHaveProperty("gave");
  });

  test("is told of no member where nothing is preferred", () => {
    const { record } = mergeGroup(all, rules("quality"));
    for (const one of record.source_events ?? []) expect(one).not.toHaveProperty("gave");
  });
});

describe("conversions of a merge", () => {
  test("convert the magnitude that was chosen, by the agency that gave it", () => {
    const conversions = [
      {
        name: "ours",
        from: "mb",
        agency: "ISC",
        to: "Mw",
        slope: 1,
        intercept: 0.5,
        sigma: 0.3,
        range: [4, 6] as [number, number],
        reference: "ours",
      },
    ];
    const mb = member("a", { magnitude: 5, magnitude_type: "mb", agency_id: "ISC" });
    const mw = member("b", { magnitude: 4.9, magnitude_type: "Mw", agency_id: "NEIC" });
    const of = (prefer: Prefer) => merged([mb, mw], prefer, { conversions });
    const one = of({ location: ["NEIC"], magnitude: ["ISC"] });
    expect(one.record).toMatchObject({ magnitude: 5.5, magnitude_type: "Mw", agency_id: "NEIC" });
    expect(one.record.extra).toMatchObject({
      converted_from: { magnitude: 5, conversion: "ours" },
    });
    expect(one.reason).toMatch(/; magnitude converted from mb 5 to Mw 5.5 by ours$/);
    // A converted magnitude is no better than the one that it was made of.
    expect(of({ magnitude: "average" }).record.magnitude).toBe(4.9);
    expect(mergeGroup([mb], { ...rules("quality"), conversions }).record.magnitude).toBe(5.5);
  });
});

const AGENCIES = ["ISC", "NEIC", "GCMT", null];
const PREFERRED: readonly MergeStrategy[] = ["quality", "priority", "newest", "complete"];

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 });
const arbitraryRecord = fc.record({
  time: fc.integer({ min: 0, max: 9 }).map(noonPlus),
  agency_id: fc.constantFrom(...AGENCIES),
  depth: some(fc.integer({ min: 0, max: 30 })),
  used_station_count: some(fc.integer({ min: 0, max: 40 })),
  horizontal_uncertainty: some(fc.integer({ min: 1, max: 9 })),
  magnitude: some(fc.integer({ min: 1, max: 7 })),
  magnitude_type: some(fc.constantFrom("Mw", "mb", "ML")),
  magnitude_uncertainty: some(fc.constantFrom(0.1, 0.2)),
  magnitude_station_count: some(fc.integer({ min: 0, max: 5 })),
  focal_mechanisms: some(fc.integer().map((n) => [{ n }])),
});
const arbitraryMembers = fc
  .array(arbitraryRecord, { minLength: 1, maxLength: 5 })
  .map((records) => records.map((record, i) => member("abcde".charAt(i), record)));
const arbitraryPreference = fc.option(
  fc.oneof(
    fc.constantFrom(...PREFERRED),
    fc.uniqueArray(fc.constantFrom("isc", "NEIC", "JMA"), { minLength: 1, maxLength: 3 }),
  ),
  { nil: undefined },
);
const arbitraryRules = fc
  .record({
    strategy: fc.constantFrom(...PREFERRED),
    prefer: fc.record({
      location: arbitraryPreference,
      magnitude: arbitraryPreference,
      mechanism: arbitraryPreference,
    }),
    minMagnitudeStations: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  })
  .map(({ strategy, ...given }): MergeRules => ({ ...rules(strategy), ...given }));

describe("whatever is preferred", () => {
  test("every group of attributes comes whole from the member that is said to have given it", () => {
    fc.assert(
      fc.property(arbitraryMembers, arbitraryRules, (members, given) => {
        const { record, givers, chosen } = mergeGroup(members, given);
        const groups = Object.keys(ATTRIBUTE_GROUPS) as GivenGroup[];
        for (const group of groups) {
          const giver = members.find(({ eventId }) => eventId === givers[group]);
          const from = giver ?? members[chosen];
          for (const name of ATTRIBUTE_GROUPS[group].names) {
            expect(record[name]).toEqual(from?.record[name]);
          }
        }
        // Nothing is missing that a member has and that was asked for.
        const has = (name: keyof SeismicEventRecord) =>
          members.some((one) => one.record[name] !== null);
        const { prefer, minMagnitudeStations } = given;
        if (prefer?.magnitude !== undefined || minMagnitudeStations !== undefined) {
          expect(record.magnitude !== null).toBe(has("magnitude"));
        }
        expect(record.focal_mechanisms !== null).toBe(has("focal_mechanisms"));
      }),
      { numRuns: runs(1000) },
    );
  });

  test("a magnitude of few stations is never taken where a member has one of enough", () => {
    fc.assert(
      fc.property(arbitraryMembers, arbitraryRules, (members, given) => {
        const least = given.minMagnitudeStations ?? 0;
        fc.pre(least > 0);
        const isEnough = ({ magnitude, magnitude_station_count: n }: SeismicEventRecord) =>
          magnitude !== null && (n ?? 0) >= least;
        fc.pre(members.length > 1 && members.some((one) => isEnough(one.record)));
        expect(isEnough(mergeGroup(members, given).record)).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  test("the order of the members does not matter", () => {
    fc.assert(
      fc.property(arbitraryMembers, arbitraryRules, (members, given) => {
        const { record, reason } = mergeGroup(members, given);
        const other = mergeGroup(members.toReversed(), given);
        expect(other.record).toEqual(record);
        expect(other.reason).toBe(reason);
      }),
      { numRuns: runs(500) },
    );
  });
});
