import { describe, expect, test } from "vitest";
import type { Linkage } from "#contracts/merge/merge-config.ts";
import { findAmbiguousPairs } from "#services/domain/merge/grouping/ambiguous-pairs.ts";
import { groupEvents } from "#services/domain/merge/grouping/group-events.ts";
import type { Origin } from "#services/domain/merge/origins.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { originsOf } from "../../support/origins-of.ts";
import { noonPlus, origin } from "./scenario.ts";

function ambiguous(
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
    expect(ambiguous([origin("b", { time: noonPlus(24) }), origin("a")])).toEqual({
      pairs: [{ first: 1, second: 0, timeDifference: 24, distance: 0, magnitudeDifference: 0 }],
      truncated: false,
    });
    const beyond = [origin("a"), origin("b", { time: "2020-01-01T12:00:24.000001Z" })];
    expect(ambiguous(beyond).pairs).toEqual([]);
    expect(ambiguous([origin("a"), origin("b", { latitude: 0.67 })]).pairs).toHaveLength(1);
    expect(ambiguous([origin("a"), origin("b", { latitude: 0.68 })]).pairs).toEqual([]);
  });

  test("a pair of events is ambiguous within the thresholds, when another was nearer", () => {
    const events = [origin("a"), origin("b1"), origin("b2", { time: noonPlus(5) })];
    expect(ambiguous(events).pairs).toMatchObject([{ first: 0, second: 2, timeDifference: 5 }]);
  });

  test("merged, when its magnitudes are more than 1 apart", () => {
    const pair = [origin("a"), origin("b")];
    expect(ambiguous(pair, [3, 4.1]).pairs).toMatchObject([
      { first: 0, second: 1, magnitudeDifference: expect.closeTo(1.1, 12) },
    ]);
    expect(ambiguous(pair, [8.3, 7.3]).pairs).toEqual([]);
    expect(ambiguous(pair, [3, null]).pairs).toEqual([]);
  });

  test("merged by nearest linkage however far apart, when its magnitudes are more than 1 apart", () => {
    const chain = ["a", "b", "c"].map((id, i) => origin(id, { time: noonPlus(i * 15) }));
    expect(ambiguous(chain.toReversed(), [4.5, 4, 3], 1000, "nearest").pairs).toEqual([
      { first: 2, second: 0, timeDifference: 30, distance: 0, magnitudeDifference: 1.5 },
    ]);
    expect(ambiguous(chain, [3, 4, 4], 1000, "nearest").pairs).toEqual([]);
  });

  test("a pair of events is ambiguous with an unknown difference where a magnitude is missing", () => {
    const events = [origin("a"), origin("b", { time: noonPlus(20) })];
    expect(ambiguous(events, [null, 4]).pairs).toMatchObject([{ magnitudeDifference: null }]);
  });

  test("a pair of events is ambiguous never, when both are of one source", () => {
    expect(ambiguous([origin("a1"), origin("a2")]).pairs).toEqual([]);
  });
});

describe("the list of ambiguous pairs", () => {
  const events = Array.from({ length: 10 }, (_, i) =>
    origin(i % 2 ? `b${i}` : `a${i}`, { time: noonPlus(i * 20) }),
  );

  test("the list of ambiguous pairs ends at its limit and says so", () => {
    const all = ambiguous(events);
    expect(all).toMatchObject({ pairs: { length: 9 }, truncated: false });
    expect(ambiguous(events, undefined, 9)).toEqual(all);
    expect(ambiguous(events, undefined, 8)).toEqual({
      pairs: all.pairs.slice(0, 8),
      truncated: true,
    });
  });

  test("the list of ambiguous pairs is by the later event, then by the earlier, also in a crowd", () => {
    const crowd = Array.from({ length: 40 }, (_, i) =>
      origin(i % 2 ? `b${i}` : `a${i}`, { time: noonPlus(i * 0.1), latitude: (i % 7) * 0.1 }),
    );
    const keys = ambiguous(crowd).pairs.map(({ first, second }) => second * 100 + first);
    expect(keys.length).toBeGreaterThan(300);
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
  });

  test("the list of ambiguous pairs is the same, by events, in whatever order they come", () => {
    const reversed = events.toReversed();
    const ids = (given: readonly Origin[]) =>
      ambiguous(given, undefined, 5).pairs.map(({ first, second }) => [
        given[first]?.id,
        given[second]?.id,
      ]);
    expect(ids(reversed)).toEqual(ids(events));
  });
});
