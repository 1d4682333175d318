import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Coordinates } from "#contracts/geometry/globe.ts";
import type { MergeStrategy } from "#contracts/merges/config.ts";
import type { GivenGroup, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import {
  ATTRIBUTE_GROUPS,
  type GroupMember,
  type MergeRules,
  meanPosition,
  mergeGroup,
  positionSigmaKm,
} from "#services/domain/merges/solution/merge-group.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";
import { member, noonPlus, rules } from "./scenario.ts";

const STRATEGIES = ["quality", "priority", "average", "newest", "complete"] as const;

/** Short names for what the rows below tell of an event; s… is an uncertainty, n… a number of stations. */
const NAMES: Readonly<Record<string, keyof SeismicEventRecord>> = {
  ...{ t: "time", st: "time_uncertainty", lat: "latitude", lon: "longitude" },
  ...{ slat: "latitude_uncertainty", slon: "longitude_uncertainty", sh: "horizontal_uncertainty" },
  ...{ z: "depth", sz: "depth_uncertainty", zt: "depth_type", n: "used_station_count" },
  ...{ m: "magnitude", mt: "magnitude_type", sm: "magnitude_uncertainty" },
  ...{ nm: "magnitude_station_count", gap: "azimuthal_gap", by: "author" },
};
const NOON = "2020-01-01T12:00:0";

/** "t=1.5 lat=10 mt=ML": a second and a half after noon, at 10°, of a magnitude of this type. */
function knownOf(text: string): Partial<SeismicEventRecord> {
  const pairs = text.split(" ").filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      if (name === "t") return ["time", value.includes("T") ? value : `${NOON}${value}Z`];
      const isText = ["mt", "zt", "by"].includes(name);
      const known = value === "?" ? null : isText ? value.replaceAll("_", " ") : Number(value);
      return [NAMES[name] ?? expect.fail(name), known];
    }),
  );
}

/** The members a, b, … "known of a; known of b". */
const membersOf = (text: string) =>
  text.split(";").map((known, i) => member("abc".charAt(i), knownOf(known.trim())));

testRows(
  "a strategy keeps the better event, and says why",
  [
    ["quality", "n=3 z=10; n=31", 1, /^higher quality score: 25.00 against 10.00$/],
    ["quality", "t=1; z=10", 1, /^equal quality scores, more populated fields: 3 against 2$/],
    // No field of an unknown magnitude counts, and no 0 for unknown; `complete` counts what is not null.
    [
      "quality",
      "t=1 mt=ML nm=9 gap=0; m=4",
      1,
      /^equal quality scores, more populated fields: 3 against 2$/,
    ],
    ["complete", "t=1 mt=ML nm=9 gap=0; m=4", 0, /^more populated fields: 5 against 3$/],
    [
      "quality",
      "t=0; t=0.000001",
      1,
      /equally many populated fields, later origin time: \S+:00.000001Z against \S+:00Z$/,
    ],
    ["priority C", "z=1; ; ", 2, /^source of priority: C$/],
    ["priority c", "z=1; ; ", 2, /^source of priority: C$/],
    ["priority ", "z=1; ; ", 0, /^earlier in the order of sources: A$/],
    [
      "priority ISC",
      "z=1; ; ",
      0,
      /^priority ISC does not decide, earlier in the order of sources: A$/,
    ],
    [
      "newest",
      "t=0.000002; t=0.000001 z=3",
      0,
      /^later origin time: \S+:00.000002Z against \S+:00.000001Z$/,
    ],
    ["newest", "t=0.000; t=0 z=3", 1, /more populated fields/],
    ["complete", "t=0; t=1", 1, /later origin time/],
  ] as const,
  (rule, events, chosen, reason) => {
    const [strategy, priority] = rule.split(" ") as [MergeStrategy, string?];
    const merged = mergeGroup(membersOf(events), rules(strategy, priority));
    expect(merged.chosen).toBe(chosen);
    expect(merged.reason).toMatch(reason);
  },
);

test("what is equal in all is decided by the order of sources, then by the id", () => {
  const members = [member("a", {}, { sourceOrder: 1 }), member("b", {}, { sourceOrder: 0 })];
  expect(mergeGroup(members, rules("quality"))).toMatchObject({
    chosen: 1,
    reason: expect.stringMatching(/equal origin times, earlier in the order of sources: B$/),
  });
  const byId = [member("b"), member("a", {}, { sourceOrder: 1 })];
  expect(mergeGroup(byId, rules("quality")).chosen).toBe(1);
  const labelled = ["a", "b", "c"].map((id) => member(id, {}, { source: id === "a" ? "A" : "X" }));
  expect(mergeGroup(labelled, rules("priority", "x")).chosen).toBe(1);
  expect(mergeGroup(labelled.toReversed(), rules("priority")).chosen).toBe(2);
});

test("the strategy complete does not count what is under extra", () => {
  const members = [
    member("a", { extra: { x: 1, y: 2, z: 3 }, depth: 5, used_station_count: 31 }),
    member("b", { depth: 5, azimuthal_gap: 300, focal_mechanisms: [{}] }),
  ];
  expect(mergeGroup(members, rules("complete"))).toMatchObject({
    chosen: 1,
    reason: "more populated fields: 5 against 4",
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
const average = (text: string) => mergeGroup(membersOf(text), rules("average"));

testRows(
  "the average is of positions and times, with magnitude and depth of the best member",
  [
    // Positions: weighted where every member states an uncertainty, of which 0 is none.
    ["lat=-41 lon=174 sh=1; lat=-41.2 lon=174", "lat=-41.1 lon=174"],
    ["lat=10 sh=1; lat=10.1 sh=2", "lat=10.02"],
    ["lat=10 sh=0; lat=10.1 sh=2", "lat=10.05"],
    [`lon=20 slat=0.03 slon=0.04; lon=20.2 sh=${0.05 * KM_PER_DEGREE}`, "lon=20.1"],
    ["lat=-17 lon=179.9; lat=-17 lon=-179.7", "lon=-179.9"],
    ["lat=89.9 lon=0; lat=89.7 lon=180", "lat=89.9 lon=180"],
    // Times: to the microsecond, half a one rounded up, with the digits that are needed and no fewer than given.
    ["t=0.000001; t=0.000003", "t=0.000002"],
    ["t=0.000001; t=0.000002", "t=0.000002"],
    ["t=0; t=1", "t=0.5"],
    ["t=0.00; t=2", "t=1.00"],
    [
      "t=1000-01-01T00:00:00.000001Z st=1; t=1000-01-01T00:00:05.000001Z st=2",
      "t=1000-01-01T00:00:01.000001Z",
    ],
    ["t=0.000 st=0; t=5 st=2", "t=2.500"],
    // The magnitude of the best type, then of the lowest uncertainty, then of the most stations.
    ["m=5.1 mt=ML sm=0.01; m=5.6 mt=Mw sm=0.3 nm=12; m=5.4 mt=mb", "m=5.6 mt=Mw sm=0.3 nm=12"],
    ["m=5.1 mt=ML n=31; m=5.2 mt=ML sm=0.2; m=5.3 mt=ML sm=0.1", "m=5.3"],
    ["m=5.1 mt=ML sm=0; m=5.2 mt=ML sm=0.9", "m=5.2 sm=0.9"],
    ["m=5.1 mt=ML; m=5.2 mt=ML nm=3; m=5.3 mt=ML nm=20", "m=5.3"],
    ["m=? mt=Mww; m=3.1", "m=3.1 mt=?"],
    [";", "m=?"],
    // The depth of the lowest uncertainty, else of the chosen member.
    [
      "z=10 sz=5; z=12 sz=1 zt=from_location; z=33 zt=operator_assigned",
      "z=12 sz=1 zt=from_location",
    ],
    ["z=10 sz=0 n=31; z=12 sz=8", "z=12 sz=8"],
    ["z=10; z=12 sz=0 n=31", "z=12 sz=0"],
    ["z=10; z=33 zt=operator_assigned lat=0.1; z=? sz=1 lat=0.15", "z=33 zt=operator_assigned"],
    // All else of the member nearest to the mean.
    ["lat=0 by=a n=31; lat=0.1 by=b; lat=0.3 by=c", "by=b n=?"],
  ],
  (events, expected) => {
    const close = Object.entries(knownOf(expected)).map(([name, value]) => [
      name,
      typeof value === "number" ? expect.closeTo(value, 7) : value,
    ]);
    expect(average(events).record).toMatchObject(Object.fromEntries(close));
  },
);

testRows(
  "the average says how it weighs, and whose the rest is",
  [
    [
      "lat=-41 sh=1; lat=-41.2",
      /^mean of 2 events, position weighted equally, time weighted equally; /,
    ],
    ["lat=10 sh=1; lat=10.1 sh=2", /^mean of 2 events, position weighted by uncertainty, /],
    ["t=0 st=1; t=5 st=2", /time weighted by uncertainty/],
    ["lat=0 n=31; lat=0.1; lat=0.3", /; nearest to it: B$/],
    // Mean at 4 s and 0.1°: b is off by 11.1 km, 0.22 of its threshold; c by 4 s, 0.25 of its own.
    ["lat=0 t=0; lat=0.2 t=4; lat=0.1 t=8", /; nearest to it: B$/],
    [
      "lat=-41.1 lon=174.3 t=0.000001; lat=-41.2 lon=174.2 n=15",
      /; equally near to it, higher quality score: 20.00 against 0.00$/,
    ],
  ],
  (events, reason) => {
    expect(average(events).reason).toMatch(reason);
  },
);

test("the average of positions is the first place where all cancel out, as a group by nearest linkage may", () => {
  const places = [at(0, 10), at(0, 130), at(0, -110)];
  expect(meanPosition(places, [1, 1, 1])).toEqual(at(0, 10));
  expect(meanPosition([at(40, 20), at(-40, -160)], [1, 1])).toEqual(at(40, 20));
});

test("the average of positions keeps a place that all members share to the last bit", () => {
  const place = "lat=-41.123456789 lon=174.987654321";
  expect(average(`${place}; ${place}; ${place}`).record).toMatchObject(knownOf(place));
});

test("an average tells the differences from the mean", () => {
  const apart = { time_difference: 1.5, distance: expect.closeTo(0.1 * KM_PER_DEGREE, 9) };
  expect(average("lat=0; lat=0.2 t=3").record.source_events).toMatchObject([apart, apart]);
});

testRows(
  "the uncertainty of a position counts a degree of longitude by the cosine of the latitude, and is not stated by half",
  [
    ["lat=60 slat=0.3 slon=0.8", 0.5 * KM_PER_DEGREE],
    ["slat=0.1", null],
    ["slat=0 slon=0.2", null],
    ["slat=0.1 slon=0", null],
    ["", null],
  ],
  (known, sigma) => {
    const told = positionSigmaKm(member("a", knownOf(known)).record);
    expect(told).toEqual(sigma && expect.closeTo(sigma, 9));
  },
);

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
