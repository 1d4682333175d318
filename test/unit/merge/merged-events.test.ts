import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { magnitudeFamily, magnitudeRank } from "#services/domain/events/magnitudes.ts";
import {
  createHeirs,
  type FormerEvent,
  heirOf,
  NO_EVENT,
  NO_GROUP,
} from "#services/domain/merges/refresh.ts";
import { qualityScore } from "#services/domain/merges/solution/merge-group.ts";
import { createUniqueSourceIds } from "#services/merges/plan.ts";
import { testRows } from "../../support/test-rows.ts";

const GROUPS = 6;
const group = fc.integer({ min: 0, max: GROUPS - 1 });
/** A founder that is still there is a member, or has left its event earlier. */
const former: fc.Arbitrary<FormerEvent> = fc
  .record({
    founder: fc.oneof(fc.constant(NO_GROUP), group),
    members: fc.array(group, { maxLength: 6 }),
    gone: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ founder, members, gone }) => ({ founder, members, size: members.length + gone }));

test("the heir of a merged event is its founder's group, whoever else is there", () => {
  fc.assert(
    fc.property(former, group, (event, founder) => {
      expect(heirOf({ ...event, founder })?.group).toBe(founder);
    }),
  );
});

test("the heir of a merged event without its founder has more than half of the members that it had, half is too few", () => {
  const event = { founder: NO_GROUP, size: 4 };
  expect(heirOf({ ...event, members: [1, 1, 2] })).toBeNull();
  expect(heirOf({ ...event, members: [2, 1, 1, 1] })).toEqual({ group: 1, shared: 3 });
  expect(heirOf({ ...event, members: [] })).toBeNull();
});

test("each group goes on with one event at most, and each event in one group: the one with most members in it, then the oldest", () => {
  fc.assert(
    fc.property(fc.array(former, { maxLength: 12 }), (events) => {
      const heirs = createHeirs(GROUPS);
      for (const [event, one] of events.entries()) heirs.offer(event, one);
      for (let g = 0; g < GROUPS; g += 1) {
        const claims = events.flatMap((event, place) => {
          const heir = heirOf(event);
          return heir?.group === g ? [{ place, shared: heir.shared }] : [];
        });
        claims.sort((a, b) => b.shared - a.shared || a.place - b.place);
        expect(heirs.eventOf(g)).toBe(claims[0]?.place ?? NO_EVENT);
      }
    }),
  );
});

const event = (sourceId: string | null, extra: Record<string, string> | null = null) => ({
  ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
  source_id: sourceId,
  extra,
});

test("a source_id of merged events stays with the first event that has it", () => {
  const unique = createUniqueSourceIds();
  expect(unique(event("a"), "a")).toEqual(event("a"));
  expect(unique(event("b"), "b")).toEqual(event("b"));
  expect(unique(event("a"), "a")).toEqual(event(null, { source_id: "a" }));
  expect(unique(event("a", { note: "x" }), "a")).toEqual(
    event(null, { source_id: "a", note: "x" }),
  );
});

test("a source_id of merged events takes the place of no other source_id in extra", () => {
  const unique = createUniqueSourceIds();
  unique(event("a"), "a");
  expect(unique(event("a", { source_id: "given" }), "a")).toEqual(
    event(null, { source_id: "given" }),
  );
});

test("a source_id of merged events is not shared by events that have none", () => {
  const unique = createUniqueSourceIds();
  for (let i = 0; i < 2; i += 1) expect(unique(event(null), null)).toEqual(event(null));
  const publicId = { public_id: "smi:a/1" };
  expect(unique(event(null, publicId), null)).toEqual(event(null, publicId));
  expect(unique(event(null, publicId), null)).toEqual(event(null, { shared_public_id: "smi:a/1" }));
});

test("a source_id of merged events is the public id of an event whose own is another's", () => {
  const unique = createUniqueSourceIds();
  for (const publicId of ["smi:a/1", "smi:b/1", "smi:c/1"]) {
    const merged = unique(event("1", { public_id: publicId }), "1");
    const id = publicId === "smi:a/1" ? "1" : publicId;
    expect(merged).toEqual(event(id, { public_id: publicId }));
  }
  const twice = unique(event("1", { public_id: "smi:b/1", note: "x" }), "1");
  const extra = { source_id: "1", shared_public_id: "smi:b/1", note: "x" };
  expect(twice).toEqual(event(null, extra));
});

test("a source_id of merged events stays where it is only the public id that another event has", () => {
  const unique = createUniqueSourceIds();
  unique(event("1", { public_id: "smi:a/1" }), "1");
  expect(unique(event("2", { public_id: "smi:a/1" }), "2")).toEqual(
    event("2", { shared_public_id: "smi:a/1" }),
  );
  expect(unique(event("smi:a/1"), "smi:a/1")).toEqual(event(null, { source_id: "smi:a/1" }));
});

test("a source_id of merged events is compared as it stands", () => {
  const unique = createUniqueSourceIds();
  for (const id of ["A", "a", " a", "__proto__"]) expect(unique(event(id), id)).toEqual(event(id));
});

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
