import { describe, expect, test } from "vitest";
import { mergeGroup } from "#services/domain/merge/merge-group.ts";
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
