import { describe, expect, test } from "vitest";
import { greatCircleKm } from "#contracts/geometry/globe.ts";
import type { Linkage, MergeWindow } from "#contracts/merges/config.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { checkDecisions, contradictionText } from "#services/domain/merges/decisions.ts";
import { findAmbiguousPairs } from "#services/domain/merges/grouping/ambiguous-pairs.ts";
import {
  countDuplicateGroups,
  groupByRow,
  groupEvents,
  TooManyCandidates,
} from "#services/domain/merges/grouping/group-events.ts";
import {
  createOriginsBuilder,
  type Origin,
  thresholdsOf,
  windowsOf,
} from "#services/domain/merges/grouping/thresholds.ts";
import type { IdDecision } from "../../support/merge/brute-force.ts";
import { originsOf } from "../../support/origins-of.ts";
import { testRows } from "../../support/test-rows.ts";
import { idsOf, origin } from "./scenario.ts";
import { groupingRules, steeredGroups } from "./steered.ts";

const NOON = timeToMicros("2020-01-01T12:00:00Z");

/**
 * Events as "b 10 0.3 -1 M5": of the source that the id's letter names, 10 s after noon or at a whole
 * time, at 0.3° −1°, of magnitude 5 ("M?" where none is known).
 */
function eventsOf(text: string): Origin[] {
  return text.split(", ").map((one) => {
    const [id = "", ...known] = one.split(" ");
    const [time = "0", latitude, longitude] = known.filter((part) => !part.startsWith("M"));
    const magnitude = known.find((part) => part.startsWith("M"))?.slice(1);
    const micros = NOON + BigInt(Math.round(Number(time) * 1e6) || 0);
    return origin(id, {
      time: time.includes("T") ? time : microsToTime(micros, 6),
      latitude: Number(latitude ?? 0),
      longitude: Number(longitude ?? 0),
      ...(magnitude !== undefined && { magnitude: magnitude === "?" ? null : Number(magnitude) }),
    });
  });
}

/** "a=b" for the same earthquake, "b≠c" for different ones. */
const decisionsOf = (text: string): IdDecision[] =>
  (text === "" ? [] : text.split(" ")).map((one) => ({
    type: one.includes("=") ? "same" : "different",
    ids: one.split(/[=≠]/),
  }));

/** Groups as "a b | c". */
const told = (groups: readonly (readonly string[])[]) =>
  groups.map((group) => group.join(" ")).join(" | ");

const groupsOf = (
  text: string,
  [seconds, kilometres]: readonly [number, number],
  linkage: Linkage = "complete",
  decisions = "",
) =>
  told(
    steeredGroups(eventsOf(text), {
      thresholds: thresholdsOf(seconds, kilometres),
      linkage,
      decisions: decisionsOf(decisions),
    }),
  );

const EARLY = "a 1000-06-30T23:59:59.999999Z";
const ACROSS_1970 = "a 1969-12-31T23:59:59.5Z, b 1970-01-01T00:00:00.5Z";

testRows(
  "events are grouped by thresholds of time and distance",
  [
    ["both hold", "a, b 10 0.3", [16, 50], "a b"],
    ["that of time does not hold", "a, b 10 0.3", [9, 50], "a | b"],
    ["that of distance does not hold", "a, b 10 0.3", [16, 30], "a | b"],
    ["at that of time itself", "a, b 16", [16, 0], "a b"],
    ["a microsecond beyond it", "a, b 16.000001", [16, 0], "a | b"],
    ["a threshold of microseconds", "a, b 16.000001", [16.000001, 0], "a b"],
    ["exact in the year 1000", `${EARLY}, b 1000-07-01T00:00:00.999999Z`, [1, 0], "a b"],
    ["beyond in the year 1000", `${EARLY}, b 1000-07-01T00:00:01Z`, [1, 0], "a | b"],
    ["exact across 1970", ACROSS_1970, [1, 0], "a b"],
    ["beyond across 1970", ACROSS_1970, [0.999999, 0], "a | b"],
    ["of zero, at the same time and place", "a, d", [0, 0], "a d"],
    ["of zero, later or beside", "a, b 0.000001, c 0 0 1e-9", [0, 0], "a | c | b"],
    ["of zero km, later", "a, b 0.000001", [1, 0], "a b"],
    ["of zero s, beside", "a, c 0 0 1e-9", [0, 1], "a c"],
    ["of one source, never", "a1, a2", [3600, 1000], "a1 | a2"],
    ["across the date line", "a 0 -17 179.9, b 0 -17 -179.9", [0, 22], "a b"],
    ["too far across the date line", "a 0 -17 179.9, b 0 -17 -179.9", [0, 21], "a | b"],
    ["at 180° and −180°", "a 0 0 180, b 0 0 -180", [0, 0], "a b"],
    ["over the North Pole", "a 0 89.9 10, b 0 89.9 -170", [0, 23], "a b"],
    ["too far over the North Pole", "a 0 89.9 10, b 0 89.9 -170", [0, 22], "a | b"],
    ["over the South Pole", "a 0 -89.9 10, b 0 -89.9 -170", [0, 23], "a b"],
    ["too far over the South Pole", "a 0 -89.9 10, b 0 -89.9 -170", [0, 22], "a | b"],
    ["at a pole, of any longitudes", "a 0 90 10, b 0 90 -100", [0, 0], "a b"],
    ["one of each of three sources", "a, b 1, c 2", [16, 50], "a b c"],
    ["no chain, B with the nearer A", "a, b 9, c 20", [16, 50], "a b | c"],
    ["no chain, B with the nearer C", "a, b 11, c 20", [16, 50], "a | b c"],
    ["no chain in space", "a, b 0 0.3, c 0 0.5", [16, 50], "a | b c"],
    ["of equally near ones the earlier pair", "a 20, b 10, c 0", [16, 50], "c b | a"],
    ["of those at one time the lower id", "b2 0 0.1, a, b1 0 -0.1", [16, 50], "a b1 | b2"],
    // 0.5 of the time threshold alone is nearer than 0.4 of both: √0.32 = 0.57.
    ["nearest in time and space together", "a, b1 6.4 0.18, b2 8", [16, 50], "a b2 | b1"],
    ["each with its own neighbour", "a1, a2 3, b1 1, b2 4", [16, 50], "a1 b1 | a2 b2"],
    // a–b and a2–c are joined first; b–c is within the thresholds, but would put a and a2 together.
    ["no group has two of one source", "a, b 1, a2 4, c 3", [16, 50], "a b | c a2"],
    ["two groups whose members are all near", "a, b 1, c 5, d 6", [6, 50], "a b c d"],
    ["two groups with one pair too far", "a, b 1, c 5, d 6", [5.9, 50], "a b | c d"],
  ] as const,
  (_, events, thresholds, expected) => {
    expect(groupsOf(events, thresholds)).toBe(expected);
  },
);

testRows(
  "nearest linkage chains, and a group holds one event of each source: the one that a nearer pair brought in",
  [
    ["a, b 9, c 20, d 32", [16, 50], "a b c d"],
    ["a, b 9, c 20, d 32", [10, 50], "a b | c | d"],
    ["a, b 10, a2 22, c 11", [16, 50], "a b c | a2"],
  ] as const,
  (events, thresholds, expected) => {
    expect(groupsOf(events, thresholds, "nearest")).toBe(expected);
  },
);

test("a pair of events is one earthquake at the distance threshold itself, and not beyond", () => {
  const pair = "a, b 0 0.25 0.25";
  const [a, b] = eventsOf(pair) as [Origin, Origin];
  const distance = greatCircleKm(a, b);
  expect(groupsOf(pair, [0, distance])).toBe("a b");
  expect(groupsOf(pair, [0, distance * (1 - 1e-15)])).toBe("a | b");
});

test("grouping counts the groups that hold duplicates and knows the group of each event", () => {
  const rules = { thresholds: thresholdsOf(16, 50) };
  expect(groupEvents(originsOf([]), rules).count).toBe(0);
  const grouping = groupEvents(originsOf(eventsOf("a2 100, a, b")), rules);
  expect([grouping.count, countDuplicateGroups(grouping)]).toEqual([2, 1]);
  expect([...groupByRow(grouping)]).toEqual([1, 0, 0]);
});

test("grouping refuses more candidates at once, and more origins, than it has room for", () => {
  const events = Array.from({ length: 40 }, (_, i) => origin(`${i % 2 ? "a" : "b"}${i}`));
  const origins = originsOf(events);
  const rules = { thresholds: thresholdsOf(16, 50) };
  expect(groupEvents(origins, rules, 400).count).toBe(20);
  expect(() => groupEvents(origins, rules, 399)).toThrow(TooManyCandidates);
  expect(() => createOriginsBuilder(0).push(origin("a"))).toThrow(RangeError);
});

const LABELS = ["ISC", "GEM", "local"];

function inWindows(events: readonly Origin[], windows: readonly MergeWindow[]) {
  const origins = originsOf(events);
  const rules = { thresholds: thresholdsOf(10, 30), windows: windowsOf(windows, LABELS) };
  const grouping = groupEvents(origins, rules);
  const { pairs } = findAmbiguousPairs(origins, rules, grouping, 1000);
  return {
    groups: told(idsOf(events, grouping)),
    ambiguous: pairs.map(({ first, second }) => [first, second]),
  };
}

/** Two events so many seconds apart, from the year on. */
const pairIn = (year: number, seconds: number, magnitude = "M5") =>
  [0, seconds]
    .map((at, i) => {
      const time = new Date(Date.UTC(year, 0) + 1000 * at).toISOString();
      return `${"ab"[i]}${year} ${time} 0 0 ${magnitude}`;
    })
    .join(", ");

const WIDE = { timeThreshold: 60, distanceThreshold: 100 };
const NARROW = { timeThreshold: 1, distanceThreshold: 1 };
const NEVER = { timeThreshold: null, distanceThreshold: null };
const BOTH = `${pairIn(1906, 30)}, ${pairIn(2020, 30)}`;
const UNTIL_1960 = "a 1959-12-31T23:59:45Z, b 1960-01-01T00:00:00Z";
const GREAT = { minMagnitude: 5, ...WIDE };

testRows<[string, MergeWindow[], string]>(
  "the thresholds of a pair are those of the first window that holds for both its events, else the common ones",
  [
    [BOTH, [], "a1906 | b1906 | a2020 | b2020"],
    [BOTH, [{ to: "1960-01-01T00:00:00Z", ...WIDE }], "a1906 b1906 | a2020 | b2020"],
    [UNTIL_1960, [{ to: "1960-01-01T00:00:00Z", ...WIDE }], "a | b"],
    [UNTIL_1960, [{ from: "1960-01-01T00:00:00Z", ...WIDE }], "a | b"],
    [UNTIL_1960, [{ to: "1960-01-01T00:00:00.000001Z", ...WIDE }], "a b"],
    [UNTIL_1960, [{ from: "1959-12-31T23:59:45Z", ...WIDE }], "a b"],
    [pairIn(1906, 30), [WIDE, NARROW], "a1906 b1906"],
    [pairIn(1906, 30), [NARROW, WIDE], "a1906 | b1906"],
    [pairIn(1906, 30), [{ from: "2000-01-01T00:00:00Z", ...NARROW }, WIDE], "a1906 b1906"],
    ["a, b 30, c 60", [{ sources: ["isc", "gem"], ...WIDE }], "a b | c"],
    ["a, b 30, c 60", [{ sources: ["GEM", "LOCAL"], ...WIDE }], "a | b c"],
    [pairIn(2020, 30), [GREAT], "a2020 b2020"],
    [pairIn(2020, 30, "M4.9"), [GREAT], "a2020 | b2020"],
    [pairIn(2020, 30, "M?"), [GREAT], "a2020 | b2020"],
  ],
  (events, windows, groups) => {
    expect(inWindows(eventsOf(events), windows).groups).toBe(groups);
  },
);

test("a window may exempt its pairs, which are ambiguous within 1.5 times its thresholds", () => {
  const old = eventsOf(`${pairIn(1812, 0)}, ${pairIn(2020, 0)}`);
  expect(inWindows(old, [{ to: "1900-01-01T00:00:00Z", ...NEVER }])).toEqual({
    groups: "a1812 | b1812 | a2020 b2020",
    ambiguous: [],
  });
  const early = { to: "1960-01-01T00:00:00Z", timeThreshold: 20, distanceThreshold: 100 };
  expect(inWindows(eventsOf(BOTH), [early]).ambiguous).toEqual([[0, 1]]);
});

test("a hundred windows hold each for its own events", () => {
  const years = Array.from({ length: 100 }, (_, i) => 1900 + i);
  const windows = years.map((year) => ({
    from: `${year}-01-01T00:00:00Z`,
    to: `${year + 1}-01-01T00:00:00Z`,
    timeThreshold: year % 2 === 0 ? 30 : 29,
    distanceThreshold: 10,
  }));
  const events = eventsOf(years.map((year) => pairIn(year, 30)).join(", "));
  expect(inWindows(events, windows).groups).toBe(
    years.map((y) => (y % 2 === 0 ? `a${y} b${y}` : `a${y} | b${y}`)).join(" | "),
  );
});

testRows(
  "decisions put together and keep apart, whatever is near",
  [
    ["what is 0 s and 0 km apart", "a, b, c 1", "a≠b", "a c | b"],
    ["three of them", "a, b, c 1", "a≠b≠c", "a | b | c"],
    ["what is a day and a continent apart", "a, b 86400 0 90", "a=b", "a b"],
    ["without one, the nearer", "a1, b, a2 15", "", "a1 b | a2"],
    ["before what is nearer", "a1, b, a2 15", "a2=b", "a1 | b a2"],
    ["by way of others, apart", "a, b 500, c", "a=b b≠c", "a b | c"],
    ["by way of others, together", "a, b 500, c", "a=b b=c", "a c b"],
    ["without one, no chain", "a, b 30, c 40", "", "a | b c"],
    ["near to one that it puts together", "a, b 30, c 40", "a=b", "a b c"],
    ["near to what is only near", "a, b 30, c 40, d 50", "a=b", "a b c | d"],
    ["near, but kept apart", "a, b 30, c 40", "a=b a≠c", "a b | c"],
  ],
  (_, events, decisions, expected) => {
    expect(groupsOf(events, [16, 50], "complete", decisions)).toBe(expected);
  },
);

test("a decision over a gap in time does not change which pair is the nearest", () => {
  const events = "a, c1 10, b 86400, c2 86401";
  expect(groupsOf(events, [16, 50], "nearest", "a=b")).toBe("a b c2 | c1");
});

/** Events of which nothing else is said have a magnitude of 3. */
function ambiguousIn(
  events: readonly Origin[],
  { decisions = "", limit = 1000, linkage = "complete" as Linkage } = {},
) {
  const known = events.map((event) => ({ magnitude: 3, ...event }));
  const thresholds = thresholdsOf(16, 50);
  const given = { thresholds, linkage, decisions: decisionsOf(decisions) };
  const rules = groupingRules(known, given);
  const origins = originsOf(known);
  return findAmbiguousPairs(origins, rules, groupEvents(origins, rules), limit);
}

testRows(
  "a pair is ambiguous near the thresholds, or merged of magnitudes more than 1 apart, unless decisions answer",
  [
    ["within 1.5 times that of time", "b 24, a", "", ["1 0"]],
    ["a microsecond beyond", "a, b 24.000001", "", []],
    ["within 1.5 times that of distance", "a, b 0 0.67", "", ["0 1"]],
    ["beyond it", "a, b 0 0.68", "", []],
    ["within, when another was nearer", "a, b1, b2 5", "", ["0 2"]],
    ["merged of magnitudes 1.1 apart", "a, b M4.1", "", ["0 1"]],
    ["merged of magnitudes 1 apart", "a M8.3, b M7.3", "", []],
    ["merged without a magnitude", "a, b M?", "", []],
    ["of one source", "a1, a2", "", []],
    ["with two others", "a, b 20, c 20", "", ["0 1", "0 2"]],
    ["with one, as the other is answered", "a, b 20, c 20", "a≠b", ["0 2"]],
    ["with none, by way of others", "a, b 20, c 20", "a≠b b=c", []],
    ["of magnitudes far apart", "a, b M6", "", ["0 1"]],
    ["of magnitudes far apart, decided", "a, b M6", "a=b", []],
  ],
  (_, events, decisions, pairs) => {
    const found = ambiguousIn(eventsOf(events), { decisions });
    expect(found.pairs.map(({ first, second }) => `${first} ${second}`)).toEqual(pairs);
    expect(found.truncated).toBe(false);
  },
);

test("an ambiguous pair is told by its differences, of which that of magnitudes may be unknown", () => {
  const differences = { timeDifference: 24, distance: 0, magnitudeDifference: 0 };
  expect(ambiguousIn(eventsOf("b 24, a")).pairs).toEqual([{ first: 1, second: 0, ...differences }]);
  const [apart] = ambiguousIn(eventsOf("a, b M4.1")).pairs;
  expect(apart?.magnitudeDifference).toBeCloseTo(1.1, 12);
  expect(ambiguousIn(eventsOf("a M?, b 20 M4")).pairs).toMatchObject([
    { magnitudeDifference: null },
  ]);
});

test("a pair merged by nearest linkage is ambiguous however far apart, by its magnitudes", () => {
  const nearest = { linkage: "nearest" } as const;
  expect(ambiguousIn(eventsOf("c 30 M4.5, b 15 M4, a"), nearest).pairs).toEqual([
    { first: 2, second: 0, timeDifference: 30, distance: 0, magnitudeDifference: 1.5 },
  ]);
  expect(ambiguousIn(eventsOf("a, b 15 M4, c 30 M4"), nearest).pairs).toEqual([]);
});

describe("the list of ambiguous pairs", () => {
  const many = (count: number, place: (i: number) => string) =>
    eventsOf(Array.from({ length: count }, (_, i) => `${"ab"[i % 2]}${i} ${place(i)}`).join(", "));
  const events = many(10, (i) => `${i * 20}`);

  test("the list of ambiguous pairs ends at its limit and says so", () => {
    const all = ambiguousIn(events);
    expect(all).toMatchObject({ pairs: { length: 9 }, truncated: false });
    expect(ambiguousIn(events, { limit: 9 })).toEqual(all);
    const cut = { pairs: all.pairs.slice(0, 8), truncated: true };
    expect(ambiguousIn(events, { limit: 8 })).toEqual(cut);
  });

  test("the list of ambiguous pairs is by the later event, then by the earlier, also in a crowd", () => {
    const crowd = many(40, (i) => `${i * 0.1} ${(i % 7) * 0.1}`);
    const keys = ambiguousIn(crowd).pairs.map(({ first, second }) => second * 100 + first);
    expect(keys.length).toBeGreaterThan(300);
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
  });

  test("the list of ambiguous pairs is the same, by events, in whatever order they come", () => {
    const ids = (given: readonly Origin[]) =>
      ambiguousIn(given, { limit: 5 }).pairs.map((pair) => [
        given[pair.first]?.id,
        given[pair.second]?.id,
      ]);
    expect(ids(events.toReversed())).toEqual(ids(events));
  });
});

/** Each event is of the catalogue that the first letter of its id names. */
function contradiction(decisions: readonly IdDecision[]): string | null {
  const found = checkDecisions(
    decisions.map(({ type, ids }) => ({
      type,
      events: ids.map((id) => ({ catalogue_id: id.charAt(0), event_id: id })),
    })),
  );
  return found && contradictionText(found, (index) => `[${index}]`);
}

testRows(
  "decisions contradict each other where a pair is both, by way of others too, or of one source",
  [
    ["a=b b=c a=c", null],
    ["a=b a≠c a1≠a2", null],
    ["a≠b a≠b", null],
    [
      "a=b a≠b",
      /^event a of catalogue a and event b of catalogue b would be one event by \[0\], but \[1\] keeps them apart$/,
    ],
    ["a≠b a=b", /but \[0\] keeps them/],
    ["a=b x=y d≠a b=c c=d", /event [ad] .* event [ad] .*\[0\].*\[3\].*\[4\].* but \[2\] /],
    [
      "a1=b b=a2",
      /^event a1 of catalogue a and event a2 of catalogue a would be one event by \[0\], \[1\], but both are of one source$/,
    ],
    ["a1=a2", /\[0\], but both are of one source/],
  ],
  (decisions, expected) => {
    const found = contradiction(decisionsOf(decisions));
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatch(expected);
  },
);

test("decisions contradict each other also among 100,000", () => {
  const many = (count: number, text: (i: number) => string) =>
    decisionsOf(Array.from({ length: count }, (_, i) => text(i)).join(" "));
  const pairs = many(50_000, (i) => `a${i}=b${i}`);
  const all = [...pairs, ...many(49_998, (i) => `a${i}≠b${i + 1}`)];
  expect(contradiction([...all, ...decisionsOf("b7=c")])).toBeNull();
  expect(contradiction([...all, ...decisionsOf("b7=c c=a9")])).toBe(
    `event a7 of catalogue a and event a9 of catalogue a would be one event by [7], [${all.length}], [${all.length + 1}], but both are of one source`,
  );
});
