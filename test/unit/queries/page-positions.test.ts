import { expect, test } from "vitest";
import type { KeyWalk } from "#projections/queries/pages-by-number/key-walk.ts";
import {
  createPagePositions,
  type Way,
} from "#projections/queries/pages-by-number/page-positions.ts";

const wayOf = (version: number, offset: number): Way => ({
  selection: {
    version: { id: "00000000-0000-4000-8000-000000000000", key: 1, version, hidden: null },
    order: "time",
    filters: {},
  },
  offset,
  events: 1_000,
});

const keyAt = (place: number) => ({ magnitude: 0, time: "", id: `${place}` });

/** Positions of orders that have no end, with a key for every place; `walked` counts those found. */
function open(max: number) {
  let walked = 0;
  const walk = async ({ after, stride, count }: KeyWalk) => {
    walked += count;
    const from = after === null ? 0 : Number(after.id);
    return Array.from({ length: count }, (_, i) => keyAt(from + stride * (i + 1)));
  };
  const contentOf = async () => "content";
  const positions = createPagePositions({ walk, contentOf }, { stride: 10, atOnce: 2, max });
  /** How many positions have to be found for a page. */
  const foundFor = async (...ways: Way[]): Promise<number> => {
    walked = 0;
    await positions.nearest(ways, (part) => part());
    return walked;
  };
  return { positions, foundFor, found: () => walked };
}

test("a page begins as many events behind a position as there are between them", async () => {
  const { positions } = open(100);
  for (const offset of [9, 10, 57, 29]) {
    const { start } = await positions.nearest([wayOf(1, offset)], (part) => part());
    const after = keyAt(offset - (offset % 10));
    expect(start).toEqual(offset < 10 ? { offset } : { after, offset: offset % 10 });
  }
});

test("of several ways that is taken which has the least left to walk", async () => {
  const { positions, foundFor } = open(1_000);
  const chosen = async (...offsets: [number, number]) => {
    const ways = offsets.map((offset, i) => wayOf(i, offset));
    return ways.indexOf((await positions.nearest(ways, (part) => part())).way);
  };
  expect(await chosen(5, 100)).toBe(0);
  expect(await chosen(100, 5)).toBe(1);
  expect(await chosen(19, 15)).toBe(1);
  await foundFor(wayOf(0, 20));
  await foundFor(wayOf(0, 40));
  expect(await chosen(45, 29)).toBe(0);
  expect(await chosen(49, 25)).toBe(0);
  expect(await chosen(55, 29)).toBe(0);
  expect(await chosen(90, 29)).toBe(1);
});

test("who leaps finds all positions that are not known along any way, who goes on those on the way", async () => {
  const { foundFor } = open(1_000);
  const page = (offset: number) => foundFor(wayOf(1, offset), wayOf(2, 990 - offset));
  const found: number[] = [];
  for (const offset of [10, 25, 45, 980, 961, 500, 700, 300, 955]) found.push(await page(offset));
  expect(found).toEqual([1, 1, 2, 1, 1, 94, 0, 0, 0]);
});

test("who leaps at once along two ways finds on either what the other has not, and no position twice", async () => {
  const { positions, found } = open(1_000);
  const [first, last] = [wayOf(1, 400), wayOf(2, 400)];
  const leap = (offset: number) =>
    positions.nearest([wayOf(1, offset), wayOf(2, 990 - offset)], (part) => part());
  expect((await Promise.all([leap(400), leap(590)])).map(({ way }) => way)).toEqual([first, last]);
  expect(found()).toBe(100);
});

test("beyond the bound those used longest ago are forgotten; each selection counts as one position", async () => {
  const { foundFor } = open(10);
  for (const version of [1, 2, 3]) expect(await foundFor(wayOf(version, 20))).toBe(2);
  expect(await foundFor(wayOf(1, 10))).toBe(0);
  expect(await foundFor(wayOf(4, 20))).toBe(2);
  for (const version of [1, 3, 4]) expect(await foundFor(wayOf(version, 20))).toBe(0);
  expect(await foundFor(wayOf(2, 20))).toBe(2);
});

test("of one selection alone all are kept, and from then on as many as there is room for", async () => {
  const { foundFor } = open(5);
  expect(await foundFor(wayOf(1, 200))).toBe(100);
  expect(await foundFor(wayOf(1, 200))).toBe(0);
  expect(await foundFor(wayOf(2, 10))).toBe(1);
  expect(await foundFor(wayOf(1, 200))).toBe(100);
});
