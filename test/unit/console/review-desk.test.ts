import { expect, test } from "vitest";
import type { Change } from "#services/console/api/diff.ts";
import type { LocatedEvent } from "#services/console/api/located-event.ts";
import { changesOfPair } from "#services/console/features/merge/review/changes-of-pair.ts";
import { differencesOf } from "#services/console/features/merge/review/pair-words.ts";
import {
  extended,
  isTaken,
  moved,
  type Queue,
  type ReviewPair,
  shownOf,
  updated,
  withBack,
  without,
} from "#services/console/features/merge/review/queue.ts";
import { overlap } from "#services/console/model/error-ellipse.ts";

const event = (id: string, change: Partial<ReviewPair["first"]> = {}): ReviewPair["first"] => ({
  catalogue_id: `of ${id}`,
  event_id: id,
  source_id: null,
  source: id,
  time: "2016-11-13T11:02:56Z",
  latitude: -42,
  longitude: 173,
  depth: 10,
  magnitude: 5,
  ...change,
});

const pairOf = (id: string, change: Partial<ReviewPair> = {}): ReviewPair => ({
  id,
  first: event("a"),
  second: event("b"),
  time_difference: 0,
  distance: 0,
  magnitude_difference: 0,
  claim: null,
  later: false,
  note: null,
  ...change,
});

const queueOf = (ids: string, at: number): Queue => ({
  pairs: [...ids].map((id) => pairOf(id)),
  at,
});
const told = (queue: Queue) =>
  `${queue.pairs.map(({ id }) => id).join("")} ${shownOf(queue)?.id ?? "-"}`;

test("arrows go through the pairs, and stop at both ends", () => {
  expect(told(moved(queueOf("abc", 1), 1))).toBe("abc c");
  expect(told(moved(queueOf("abc", 2), 1))).toBe("abc c");
  expect(told(moved(queueOf("abc", 0), -1))).toBe("abc a");
});

test("a decided pair gives way to the next, and comes back to where one is", () => {
  expect(told(without(queueOf("abc", 1), "b"))).toBe("ac c");
  expect(told(without(queueOf("abc", 2), "a"))).toBe("bc c");
  expect(told(without(queueOf("a", 0), "a"))).toBe(" -");
  expect(told(withBack(queueOf("ac", 1), pairOf("b")))).toBe("abc b");
  expect(told(withBack(queueOf("", 0), pairOf("b")))).toBe("b b");
});

test("what follows is added once, and what the service says of a pair stands in its place", () => {
  expect(told(extended(queueOf("ab", 0), [pairOf("b"), pairOf("c")]))).toBe("abc a");
  const claim = { user: "anna", at: "2026-01-01T00:00:00Z" };
  const queue = updated(queueOf("ab", 1), pairOf("b", { claim }));
  expect(queue.pairs.map((pair) => isTaken(pair, "ben"))).toEqual([false, true]);
  expect(queue.pairs.map((pair) => isTaken(pair, "anna"))).toEqual([false, false]);
});

const located = (place: { latitude: number; longitude: number }, km: number): LocatedEvent => ({
  event: { ...place } as LocatedEvent["event"],
  ellipse: { longKm: km, shortKm: km / 2, azimuth: 0 },
});

test("the differences of a pair stand in words", () => {
  const second = event("b", {
    time: "2016-11-13T11:03:08.5Z",
    longitude: 173.3,
    depth: 25,
    magnitude: 4.2,
  });
  const pair = pairOf("p", {
    second,
    time_difference: 12.5,
    distance: 24.8,
    magnitude_difference: 0.8,
  });
  expect(differencesOf(pair, null, null)).toEqual([
    "The second is 12.5 s later.",
    "The second lies 24.8 km E of the first.",
    "The second is 15 km deeper.",
    "The second’s magnitude is 0.8 smaller.",
  ]);
  const apart = differencesOf(pair, located(pair.first, 20), located(second, 2));
  expect(apart).toContain("Their error ellipses do not touch.");
  const near = differencesOf(pair, located(pair.first, 20), located(second, 60));
  expect(near).toContain("Their error ellipses overlap.");
});

test("what is alike, or not known, is said too", () => {
  const alike = pairOf("p");
  expect(differencesOf(alike, null, null)).toEqual([
    "Both have the same origin time.",
    "Both have the same epicentre.",
    "Both have the same depth.",
    "Both have the same magnitude.",
  ]);
  const unknown = pairOf("p", {
    second: event("b", { depth: null, magnitude: null }),
    magnitude_difference: null,
  });
  expect(differencesOf(unknown, null, null).slice(2)).toEqual(["One of them has no magnitude."]);
});

test("an ellipse within another overlaps it; one that lies across the short side does not", () => {
  const middle = { latitude: 0, longitude: 179.99 };
  const north = { latitude: 0.45, longitude: -179.99 };
  const long = { longKm: 60, shortKm: 5, azimuth: 0 };
  const small = { longKm: 2, shortKm: 2, azimuth: 0 };
  expect(overlap(middle, long, north, small)).toBe(true);
  expect(overlap(middle, { ...long, azimuth: 90 }, north, small)).toBe(false);
  expect(overlap(middle, small, middle, long)).toBe(true);
});

test("of a refresh only what is about the pair is told", () => {
  const changeOf = (id: string, now: string[], was?: string[]) => {
    const made = (ids: string[]) =>
      ({ id, source_events: ids.map((event_id) => ({ event_id })) }) as unknown as Change["event"];
    return { change: "updated", event: made(now), ...(was && { before: made(was) }) } as Change;
  };
  const changes = [
    changeOf("1", ["a", "x"]),
    changeOf("2", ["y"], ["y", "b"]),
    changeOf("3", ["z"], ["q"]),
  ];
  expect(changesOfPair(changes, pairOf("p")).map((one) => one.event.id)).toEqual(["1", "2"]);
});
