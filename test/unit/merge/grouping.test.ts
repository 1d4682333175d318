import { describe, expect, test } from "vitest";
import { greatCircleKm } from "#contracts/geometry/globe.ts";
import type { Linkage, MergeWindow } from "#contracts/merges/config.ts";
import type { MergeDecision } from "#contracts/merges/decisions.ts";
import { checkDecisions, contradictionText } from "#services/domain/merges/decisions.ts";
import { findAmbiguousPairs } from "#services/domain/merges/grouping/ambiguous-pairs.ts";
import {
  countDuplicateGroups,
  groupByRow,
  groupEvents,
  TooManyCandidates,
} from "#services/domain/merges/grouping/group-events.ts";
import { createOriginsBuilder, type Origin } from "#services/domain/merges/grouping/origins.ts";
import { thresholdsOf, windowsOf } from "#services/domain/merges/grouping/thresholds.ts";
import type { BruteRules, IdDecision } from "../../support/merge/brute-force.ts";
import { originsOf } from "../../support/origins-of.ts";
import { groupIds, idsOf, noonPlus, origin } from "./scenario.ts";
import { groupingRules, steeredGroups } from "./steered.ts";

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

const LABELS = ["ISC", "GEM", "local"];

function scene(events: readonly Origin[], windows: readonly MergeWindow[]) {
  const origins = originsOf(events);
  const rules = { thresholds: thresholdsOf(10, 30), windows: windowsOf(windows, LABELS) };
  const grouping = groupEvents(origins, rules);
  const ambiguous = () => findAmbiguousPairs(origins, rules, grouping, 1000).pairs;
  return { groups: idsOf(events, grouping), ambiguous };
}

/** Two events `seconds` apart, from the year on. */
function pairIn(year: string, seconds: number, magnitude: number | null = 5): Origin[] {
  return [
    origin(`a${year}`, { time: `${year}-01-01T00:00:00Z`, magnitude }),
    origin(`b${year}`, {
      time: `${year}-01-01T00:00:${String(seconds).padStart(2, "0")}Z`,
      magnitude,
    }),
  ];
}

const WIDE = { timeThreshold: 60, distanceThreshold: 100 };
const NEVER = { timeThreshold: null, distanceThreshold: null };

test("the thresholds of a pair are those of the window that holds for both its events", () => {
  const early = { to: "1960-01-01T00:00:00Z", ...WIDE };
  const events = [...pairIn("1906", 30), ...pairIn("2020", 30)];
  expect(scene(events, []).groups).toHaveLength(4);
  expect(scene(events, [early]).groups).toEqual([["a1906", "b1906"], ["a2020"], ["b2020"]]);
});

test("the thresholds of a pair are the common ones where a window holds for one of its events alone", () => {
  const across = [
    origin("a", { time: "1959-12-31T23:59:45Z" }),
    origin("b", { time: "1960-01-01T00:00:00Z" }),
  ];
  expect(scene(across, [{ to: "1960-01-01T00:00:00Z", ...WIDE }]).groups).toHaveLength(2);
  expect(scene(across, [{ from: "1960-01-01T00:00:00Z", ...WIDE }]).groups).toHaveLength(2);
  expect(scene(across, [{ to: "1960-01-01T00:00:00.000001Z", ...WIDE }]).groups).toHaveLength(1);
  expect(scene(across, [{ from: "1959-12-31T23:59:45Z", ...WIDE }]).groups).toHaveLength(1);
});

test("the thresholds of a pair are those of the first of several windows", () => {
  const events = pairIn("1906", 30);
  const narrow = { timeThreshold: 1, distanceThreshold: 1 };
  expect(scene(events, [WIDE, narrow]).groups).toHaveLength(1);
  expect(scene(events, [narrow, WIDE]).groups).toHaveLength(2);
  expect(scene(events, [{ from: "2000-01-01T00:00:00Z", ...narrow }, WIDE]).groups).toHaveLength(1);
});

test("the thresholds of a pair can be those of sources, named in any case", () => {
  const events = [
    origin("a"),
    origin("b", { time: noonPlus(30) }),
    origin("c", { time: noonPlus(60) }),
  ];
  const between = scene(events, [{ sources: ["isc", "gem"], ...WIDE }]);
  expect(between.groups).toEqual([["a", "b"], ["c"]]);
  expect(scene(events, [{ sources: ["GEM", "LOCAL"], ...WIDE }]).groups).toEqual([
    ["a"],
    ["b", "c"],
  ]);
});

test("the thresholds of a pair can be those of great events, of which one without magnitude is none", () => {
  const great = { minMagnitude: 5, ...WIDE };
  expect(scene(pairIn("2020", 30, 5), [great]).groups).toHaveLength(1);
  expect(scene(pairIn("2020", 30, 4.9), [great]).groups).toHaveLength(2);
  expect(scene(pairIn("2020", 30, null), [great]).groups).toHaveLength(2);
});

test("the thresholds of a pair can exempt it: with null it is never a candidate", () => {
  const early = { to: "1900-01-01T00:00:00Z", ...NEVER };
  const events = [...pairIn("1812", 0), ...pairIn("2020", 0)];
  const { groups, ambiguous } = scene(events, [early]);
  expect(groups).toEqual([["a1812"], ["b1812"], ["a2020", "b2020"]]);
  expect(ambiguous()).toEqual([]);
});

test("a pair is ambiguous within 1.5 times the thresholds of its window", () => {
  const early = { to: "1960-01-01T00:00:00Z", timeThreshold: 20, distanceThreshold: 100 };
  const events = [...pairIn("1906", 30), ...pairIn("2020", 30)];
  expect(scene(events, [early]).ambiguous()).toMatchObject([{ first: 0, second: 1 }]);
});

test("a hundred windows hold each for its own events", () => {
  const windows = Array.from({ length: 100 }, (_, i) => ({
    from: `${1900 + i}-01-01T00:00:00Z`,
    to: `${1901 + i}-01-01T00:00:00Z`,
    timeThreshold: i % 2 === 0 ? 30 : 29,
    distanceThreshold: 10,
  }));
  const events = windows.flatMap((_, i) => pairIn(`${1900 + i}`, 30));
  const merged = scene(events, windows).groups.filter(({ length }) => length > 1);
  expect(merged.map(([first]) => first)).toEqual(
    windows.flatMap((_, i) => (i % 2 === 0 ? [`a${1900 + i}`] : [])),
  );
});

const THRESHOLDS = thresholdsOf(16, 50);

function same(...ids: string[]): IdDecision {
  return { type: "same", ids };
}

function different(...ids: string[]): IdDecision {
  return { type: "different", ids };
}

function groups(
  events: readonly Origin[],
  decisions: readonly IdDecision[],
  given: Partial<BruteRules> = {},
) {
  return steeredGroups(events, { thresholds: THRESHOLDS, decisions, ...given });
}

function ambiguous(events: readonly Origin[], decisions: readonly IdDecision[]) {
  const rules = groupingRules(events, { thresholds: THRESHOLDS, decisions });
  const origins = originsOf(events);
  return findAmbiguousPairs(origins, rules, groupEvents(origins, rules), 1000).pairs;
}

/** Of the catalogue that the first letter of an event's id names. */
function asked({ type, ids }: IdDecision): MergeDecision {
  return { type, events: ids.map((id) => ({ catalogue_id: id.charAt(0), event_id: id })) };
}

test("a decision keeps apart what is 0 s and 0 km apart", () => {
  const events = [origin("a"), origin("b"), origin("c", { time: noonPlus(1) })];
  expect(groups(events, [different("a", "b")])).toEqual([["a", "c"], ["b"]]);
  expect(groups(events, [different("a", "b", "c")])).toEqual([["a"], ["b"], ["c"]]);
});

test("a decision joins what is a day and a continent apart", () => {
  const events = [origin("a"), origin("b", { time: noonPlus(86_400), longitude: 90 })];
  expect(groups(events, [same("a", "b")])).toEqual([["a", "b"]]);
});

test("a decision that joins is made before what is nearer", () => {
  const events = [origin("a1"), origin("b"), origin("a2", { time: noonPlus(15) })];
  expect(groups(events, [])).toEqual([["a1", "b"], ["a2"]]);
  expect(groups(events, [same("a2", "b")])).toEqual([["a1"], ["b", "a2"]]);
});

test("a decision holds by way of others", () => {
  const events = [origin("a"), origin("b", { time: noonPlus(500) }), origin("c")];
  expect(groups(events, [same("a", "b"), different("b", "c")])).toEqual([["a", "b"], ["c"]]);
  expect(groups(events, [same("a", "b"), same("b", "c")])).toEqual([["a", "c", "b"]]);
});

test("a decision leaves out no event that is near to only one of those that it puts together", () => {
  const events = [
    origin("a"),
    origin("b", { time: noonPlus(30) }),
    origin("c", { time: noonPlus(40) }),
  ];
  expect(groups(events, [])).toEqual([["a"], ["b", "c"]]);
  expect(groups(events, [same("a", "b")])).toEqual([["a", "b", "c"]]);
  const between = origin("d", { time: noonPlus(50) });
  expect(groups([...events, between], [same("a", "b")])).toEqual([["a", "b", "c"], ["d"]]);
  expect(groups(events, [same("a", "b"), different("a", "c")])).toEqual([["a", "b"], ["c"]]);
});

test("a decision over a gap in time does not change which pair is the nearest", () => {
  const events = [
    origin("a"),
    origin("c1", { time: noonPlus(10) }),
    origin("b", { time: noonPlus(86_400) }),
    origin("c2", { time: noonPlus(86_401) }),
  ];
  expect(groups(events, [same("a", "b")], { linkage: "nearest" })).toEqual([
    ["a", "b", "c2"],
    ["c1"],
  ]);
});

test("a decision answers the question whether a pair is ambiguous, also by way of others", () => {
  const events = [
    origin("a"),
    origin("b", { time: noonPlus(20) }),
    origin("c", { time: noonPlus(20) }),
  ];
  expect(ambiguous(events, [])).toHaveLength(2);
  expect(ambiguous(events, [different("a", "b")])).toMatchObject([{ first: 0, second: 2 }]);
  expect(ambiguous(events, [different("a", "b"), same("b", "c")])).toEqual([]);
  const apart = [origin("a", { magnitude: 3 }), origin("b", { magnitude: 6 })];
  expect(ambiguous(apart, [])).toHaveLength(1);
  expect(ambiguous(apart, [same("a", "b")])).toEqual([]);
});

describe("decisions contradict each other", () => {
  function contradiction(...decisions: IdDecision[]): string | null {
    const found = checkDecisions(decisions.map(asked));
    return found && contradictionText(found, (index) => `decisions[${index}]`);
  }

  test("decisions contradict each other not where they only say more", () => {
    expect(contradiction(same("a", "b"), same("b", "c"), same("a", "c"))).toBeNull();
    expect(contradiction(same("a", "b"), different("a", "c"), different("a1", "a2"))).toBeNull();
    expect(contradiction(different("a", "b"), different("a", "b"))).toBeNull();
  });

  test("decisions contradict each other where a pair is both, in any order", () => {
    const text =
      "event a of catalogue a and event b of catalogue b would be one event by decisions[0], but decisions[1] keeps them apart";
    expect(contradiction(same("a", "b"), different("a", "b"))).toBe(text);
    expect(contradiction(different("a", "b"), same("a", "b"))).toContain("decisions[0] keeps them");
  });

  test("decisions contradict each other by way of others, which are named with the pair", () => {
    expect(
      contradiction(
        same("a", "b"),
        same("x", "y"),
        different("d", "a"),
        same("b", "c"),
        same("c", "d"),
      ),
    ).toMatch(
      /event [ad] .* event [ad] .*decisions\[0\].*decisions\[3\].*decisions\[4\].* but decisions\[2\] /,
    );
  });

  test("decisions contradict each other where a group would have two events of one source", () => {
    expect(contradiction(same("a1", "b"), same("b", "a2"))).toBe(
      "event a1 of catalogue a and event a2 of catalogue a would be one event by decisions[0], decisions[1], but both are of one source",
    );
    expect(contradiction(same("a1", "a2"))).toMatch(/decisions\[0\], but both are of one source/);
  });

  test("decisions contradict each other also among 100,000", () => {
    const pairs = Array.from({ length: 50_000 }, (_, i) => same(`a${i}`, `b${i}`));
    const apart = Array.from({ length: 49_998 }, (_, i) => different(`a${i}`, `b${i + 1}`));
    const { length } = [...pairs, ...apart];
    expect(contradiction(...pairs, ...apart, same("b7", "c"))).toBeNull();
    expect(contradiction(...pairs, ...apart, same("b7", "c"), same("c", "a9"))).toBe(
      `event a7 of catalogue a and event a9 of catalogue a would be one event by decisions[7], decisions[${length}], decisions[${length + 1}], but both are of one source`,
    );
  });
});

function ambiguousOf(
  events: readonly Origin[],
  magnitudes: readonly (number | null)[] = events.map(() => 3),
  limit = 1000,
  linkage: Linkage = "complete",
) {
  const known = events.map((event, i) => ({ ...event, magnitude: magnitudes[i] ?? null }));
  const origins = originsOf(known);
  const rules = { thresholds: thresholdsOf(16, 50), linkage };
  return findAmbiguousPairs(origins, rules, groupEvents(origins, rules), limit);
}

describe("a pair of events is ambiguous", () => {
  test("a pair of events is ambiguous within 1.5 times the thresholds, when it is not merged", () => {
    expect(ambiguousOf([origin("b", { time: noonPlus(24) }), origin("a")])).toEqual({
      pairs: [{ first: 1, second: 0, timeDifference: 24, distance: 0, magnitudeDifference: 0 }],
      truncated: false,
    });
    const beyond = [origin("a"), origin("b", { time: "2020-01-01T12:00:24.000001Z" })];
    expect(ambiguousOf(beyond).pairs).toEqual([]);
    expect(ambiguousOf([origin("a"), origin("b", { latitude: 0.67 })]).pairs).toHaveLength(1);
    expect(ambiguousOf([origin("a"), origin("b", { latitude: 0.68 })]).pairs).toEqual([]);
  });

  test("a pair of events is ambiguous within the thresholds, when another was nearer", () => {
    const events = [origin("a"), origin("b1"), origin("b2", { time: noonPlus(5) })];
    expect(ambiguousOf(events).pairs).toMatchObject([{ first: 0, second: 2, timeDifference: 5 }]);
  });

  test("merged, when its magnitudes are more than 1 apart", () => {
    const pair = [origin("a"), origin("b")];
    expect(ambiguousOf(pair, [3, 4.1]).pairs).toMatchObject([
      { first: 0, second: 1, magnitudeDifference: expect.closeTo(1.1, 12) },
    ]);
    expect(ambiguousOf(pair, [8.3, 7.3]).pairs).toEqual([]);
    expect(ambiguousOf(pair, [3, null]).pairs).toEqual([]);
  });

  test("merged by nearest linkage however far apart, when its magnitudes are more than 1 apart", () => {
    const chain = ["a", "b", "c"].map((id, i) => origin(id, { time: noonPlus(i * 15) }));
    expect(ambiguousOf(chain.toReversed(), [4.5, 4, 3], 1000, "nearest").pairs).toEqual([
      { first: 2, second: 0, timeDifference: 30, distance: 0, magnitudeDifference: 1.5 },
    ]);
    expect(ambiguousOf(chain, [3, 4, 4], 1000, "nearest").pairs).toEqual([]);
  });

  test("a pair of events is ambiguous with an unknown difference where a magnitude is missing", () => {
    const events = [origin("a"), origin("b", { time: noonPlus(20) })];
    expect(ambiguousOf(events, [null, 4]).pairs).toMatchObject([{ magnitudeDifference: null }]);
  });

  test("a pair of events is ambiguous never, when both are of one source", () => {
    expect(ambiguousOf([origin("a1"), origin("a2")]).pairs).toEqual([]);
  });
});

describe("the list of ambiguous pairs", () => {
  const events = Array.from({ length: 10 }, (_, i) =>
    origin(i % 2 ? `b${i}` : `a${i}`, { time: noonPlus(i * 20) }),
  );

  test("the list of ambiguous pairs ends at its limit and says so", () => {
    const all = ambiguousOf(events);
    expect(all).toMatchObject({ pairs: { length: 9 }, truncated: false });
    expect(ambiguousOf(events, undefined, 9)).toEqual(all);
    expect(ambiguousOf(events, undefined, 8)).toEqual({
      pairs: all.pairs.slice(0, 8),
      truncated: true,
    });
  });

  test("the list of ambiguous pairs is by the later event, then by the earlier, also in a crowd", () => {
    const crowd = Array.from({ length: 40 }, (_, i) =>
      origin(i % 2 ? `b${i}` : `a${i}`, { time: noonPlus(i * 0.1), latitude: (i % 7) * 0.1 }),
    );
    const keys = ambiguousOf(crowd).pairs.map(({ first, second }) => second * 100 + first);
    expect(keys.length).toBeGreaterThan(300);
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
  });

  test("the list of ambiguous pairs is the same, by events, in whatever order they come", () => {
    const reversed = events.toReversed();
    const ids = (given: readonly Origin[]) =>
      ambiguousOf(given, undefined, 5).pairs.map(({ first, second }) => [
        given[first]?.id,
        given[second]?.id,
      ]);
    expect(ids(reversed)).toEqual(ids(events));
  });
});
