import { describe, expect, test } from "vitest";
import { greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import { TooManyCandidates } from "#services/domain/merge/grouping/candidates.ts";
import { groupEvents } from "#services/domain/merge/grouping/group-events.ts";
import { countDuplicateGroups, groupByRow } from "#services/domain/merge/grouping/grouping.ts";
import { createOriginsBuilder } from "#services/domain/merge/origins.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { originsOf } from "../../support/origins-of.ts";
import { groupIds, noonPlus, origin } from "./scenario.ts";

describe("a pair of events", () => {
  test("a pair of events is one earthquake when both thresholds hold", () => {
    const events = [origin("a"), origin("b", { time: noonPlus(10), latitude: 0.3 })];
    expect(groupIds(events, 16, 50)).toEqual([["a", "b"]]);
    expect(groupIds(events, 9, 50)).toEqual([["a"], ["b"]]);
    expect(groupIds(events, 16, 30)).toEqual([["a"], ["b"]]);
  });

  test("a pair of events is one earthquake at the time threshold itself, and not a microsecond beyond", () => {
    const at = (fraction: string) => [
      origin("a"),
      origin("b", { time: `2020-01-01T12:00:16.${fraction}Z` }),
    ];
    expect(groupIds(at("000000"), 16, 0)).toEqual([["a", "b"]]);
    expect(groupIds(at("000001"), 16, 0)).toEqual([["a"], ["b"]]);
    expect(groupIds(at("000001"), 16.000001, 0)).toEqual([["a", "b"]]);
  });

  test("a pair of events is exact to the microsecond also in the year 1000, and across 1970", () => {
    const early = (time: string) => [
      origin("a", { time: "1000-06-30T23:59:59.999999Z" }),
      origin("b", { time }),
    ];
    expect(groupIds(early("1000-07-01T00:00:00.999999Z"), 1, 0)).toEqual([["a", "b"]]);
    expect(groupIds(early("1000-07-01T00:00:01Z"), 1, 0)).toEqual([["a"], ["b"]]);
    const across = [
      origin("a", { time: "1969-12-31T23:59:59.5Z" }),
      origin("b", { time: "1970-01-01T00:00:00.5Z" }),
    ];
    expect(groupIds(across, 1, 0)).toEqual([["a", "b"]]);
    expect(groupIds(across, 0.999999, 0)).toEqual([["a"], ["b"]]);
  });

  test("a pair of events is one earthquake at the distance threshold itself, and not beyond", () => {
    const events = [origin("a"), origin("b", { latitude: 0.25, longitude: 0.25 })];
    const [a, b] = events;
    if (a === undefined || b === undefined) throw new Error("two events");
    const distance = greatCircleKm(a, b);
    expect(groupIds(events, 0, distance)).toEqual([["a", "b"]]);
    expect(groupIds(events, 0, distance * (1 - 1e-15))).toEqual([["a"], ["b"]]);
  });

  test("a pair of events with zero thresholds is one earthquake only at the same time and place", () => {
    const later = origin("b", { time: "2020-01-01T12:00:00.000001Z" });
    const beside = origin("c", { longitude: 1e-9 });
    expect(groupIds([origin("a"), origin("d")], 0, 0)).toEqual([["a", "d"]]);
    expect(groupIds([origin("a"), later, beside], 0, 0)).toEqual([["a"], ["c"], ["b"]]);
    expect(groupIds([origin("a"), later], 1, 0)).toEqual([["a", "b"]]);
    expect(groupIds([origin("a"), beside], 0, 1)).toEqual([["a", "c"]]);
  });

  test("a pair of events of one source is never one earthquake", () => {
    expect(groupIds([origin("a1"), origin("a2")], 3600, 1000)).toEqual([["a1"], ["a2"]]);
  });

  test("a pair of events is found across the date line", () => {
    const events = [
      origin("a", { latitude: -17, longitude: 179.9 }),
      origin("b", { latitude: -17, longitude: -179.9 }),
    ];
    expect(groupIds(events, 0, 22)).toEqual([["a", "b"]]);
    expect(groupIds(events, 0, 21)).toEqual([["a"], ["b"]]);
    const sameMeridian = [origin("a", { longitude: 180 }), origin("b", { longitude: -180 })];
    expect(groupIds(sameMeridian, 0, 0)).toEqual([["a", "b"]]);
  });

  test("a pair of events is found over a pole", () => {
    for (const latitude of [89.9, -89.9]) {
      const events = [
        origin("a", { latitude, longitude: 10 }),
        origin("b", { latitude, longitude: -170 }),
      ];
      expect(groupIds(events, 0, 23)).toEqual([["a", "b"]]);
      expect(groupIds(events, 0, 22)).toEqual([["a"], ["b"]]);
    }
    const pole = [
      origin("a", { latitude: 90, longitude: 10 }),
      origin("b", { latitude: 90, longitude: -100 }),
    ];
    expect(groupIds(pole, 0, 0)).toEqual([["a", "b"]]);
  });
});

describe("a group", () => {
  test("a group takes one event of each of three sources", () => {
    const events = [
      origin("a"),
      origin("b", { time: noonPlus(1) }),
      origin("c", { time: noonPlus(2) }),
    ];
    expect(groupIds(events, 16, 50)).toEqual([["a", "b", "c"]]);
  });

  test("a group does not chain: where A and C are too far apart, B goes with the nearer", () => {
    const chain = (second: number) => [
      origin("a"),
      origin("b", { time: noonPlus(second) }),
      origin("c", { time: noonPlus(20) }),
    ];
    expect(groupIds(chain(9), 16, 50)).toEqual([["a", "b"], ["c"]]);
    expect(groupIds(chain(11), 16, 50)).toEqual([["a"], ["b", "c"]]);
  });

  test("a group does not chain in space either", () => {
    const events = [origin("a"), origin("b", { latitude: 0.3 }), origin("c", { latitude: 0.5 })];
    expect(groupIds(events, 16, 50)).toEqual([["a"], ["b", "c"]]);
  });

  test("a group between two equally near neighbours takes the earlier pair", () => {
    const events = [
      origin("a", { time: noonPlus(20) }),
      origin("b", { time: noonPlus(10) }),
      origin("c", { time: noonPlus(0) }),
    ];
    expect(groupIds(events, 16, 50)).toEqual([["c", "b"], ["a"]]);
  });

  test("a group between two equally near neighbours at the same time takes the lower id", () => {
    const events = [
      origin("b2", { latitude: 0.1 }),
      origin("a", { latitude: 0 }),
      origin("b1", { latitude: -0.1 }),
    ];
    expect(groupIds(events, 16, 50)).toEqual([["a", "b1"], ["b2"]]);
  });

  test("a group takes the nearest of several events of another source, in time and space together", () => {
    // 0.5 of the time threshold alone is nearer than 0.4 of both: √0.32 = 0.57.
    const events = [
      origin("a"),
      origin("b1", { time: noonPlus(6.4), latitude: 0.18 }),
      origin("b2", { time: noonPlus(8) }),
    ];
    expect(groupIds(events, 16, 50)).toEqual([["a", "b2"], ["b1"]]);
  });

  test("a group pairs neighbours of one source each with its own", () => {
    const events = [
      origin("a1"),
      origin("a2", { time: noonPlus(3) }),
      origin("b1", { time: noonPlus(1) }),
      origin("b2", { time: noonPlus(4) }),
    ];
    expect(groupIds(events, 16, 50)).toEqual([
      ["a1", "b1"],
      ["a2", "b2"],
    ]);
  });

  test("a group is not joined with another that has an event of the same source", () => {
    // a–b and a2–c are joined first; b–c is within the thresholds, but would put a and a2 together.
    const events = [
      origin("a"),
      origin("b", { time: noonPlus(1) }),
      origin("a2", { time: noonPlus(4) }),
      origin("c", { time: noonPlus(3) }),
    ];
    expect(groupIds(events, 16, 50)).toEqual([
      ["a", "b"],
      ["c", "a2"],
    ]);
  });

  test("a group joins two groups when every member is near every other", () => {
    const events = ["a", "b", "c", "d"].map((id, i) =>
      origin(id, { time: noonPlus([0, 1, 5, 6][i] ?? 0) }),
    );
    expect(groupIds(events, 6, 50)).toEqual([["a", "b", "c", "d"]]);
    expect(groupIds(events, 5.9, 50)).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });
});

describe("a group by nearest linkage", () => {
  test("a group by nearest linkage chains: the pair that joins two groups is near, the other members need not be", () => {
    const chain = ["a", "b", "c", "d"].map((id, i) =>
      origin(id, { time: noonPlus([0, 9, 20, 32][i] ?? 0) }),
    );
    expect(groupIds(chain, 16, 50, "nearest")).toEqual([["a", "b", "c", "d"]]);
    expect(groupIds(chain, 10, 50, "nearest")).toEqual([["a", "b"], ["c"], ["d"]]);
  });

  test("a group by nearest linkage holds one event of each source, of several the one that a nearer pair brought in", () => {
    const events = [
      origin("a"),
      origin("b", { time: noonPlus(10) }),
      origin("a2", { time: noonPlus(22) }),
      origin("c", { time: noonPlus(11) }),
    ];
    expect(groupIds(events, 16, 50, "nearest")).toEqual([["a", "b", "c"], ["a2"]]);
  });
});

describe("grouping", () => {
  test("grouping of nothing is nothing", () => {
    expect(groupIds([], 16, 50)).toEqual([]);
  });

  test("grouping counts the groups that hold duplicates and knows the group of each event", () => {
    const events = [origin("a2", { time: noonPlus(100) }), origin("a"), origin("b")];
    const grouping = groupEvents(originsOf(events), { thresholds: thresholdsOf(16, 50) });
    expect(grouping.count).toBe(2);
    expect(countDuplicateGroups(grouping)).toBe(1);
    expect([...groupByRow(grouping)]).toEqual([1, 0, 0]);
  });

  test("grouping refuses more candidates at once than it has room for", () => {
    const events = Array.from({ length: 40 }, (_, i) => origin(`${i % 2 ? "a" : "b"}${i}`));
    const origins = originsOf(events);
    const rules = { thresholds: thresholdsOf(16, 50) };
    expect(groupEvents(origins, rules, 400).count).toBe(20);
    expect(() => groupEvents(origins, rules, 399)).toThrow(TooManyCandidates);
  });

  test("grouping refuses more origins than it has room for", () => {
    expect(() => createOriginsBuilder(0).push(origin("a"))).toThrow(RangeError);
  });
});
