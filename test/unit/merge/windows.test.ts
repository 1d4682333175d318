import { describe, expect, test } from "vitest";
import type { MergeWindow } from "#contracts/merge/merge-config.ts";
import { findAmbiguousPairs } from "#services/domain/merge/grouping/ambiguous-pairs.ts";
import { windowsOf } from "#services/domain/merge/grouping/configured-windows.ts";
import { groupEvents } from "#services/domain/merge/grouping/group-events.ts";
import type { Origin } from "#services/domain/merge/origins.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { originsOf } from "../../support/origins-of.ts";
import { idsOf, noonPlus, origin } from "./scenario.ts";

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

describe("the thresholds of a pair", () => {
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
    expect(scene(events, [{ from: "2000-01-01T00:00:00Z", ...narrow }, WIDE]).groups).toHaveLength(
      1,
    );
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
