import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diameterOfSize, sizesOf, UNKNOWN_SIZE } from "#services/console/drawing/discs.ts";
import { project, worldSize } from "#services/console/drawing/mercator.ts";
import { nearest } from "#services/console/drawing/pick.ts";
import { largestOf, look, roomFor, type View } from "#services/console/drawing/view.ts";

const degrees = (most: number) =>
  fc.double({ min: -most, max: most, noNaN: true }).map(Math.fround);
const places = fc.array(fc.record({ latitude: degrees(85), longitude: degrees(180) }), {
  maxLength: 40,
});
const views = fc.record({
  left: fc.integer({ min: -3_000, max: 3_000 }),
  top: fc.integer({ min: -500, max: 1_500 }),
  width: fc.integer({ min: 1, max: 1_500 }),
  height: fc.integer({ min: 1, max: 800 }),
  zoom: fc.constantFrom(1, 2.25, 4),
  ratio: fc.constantFrom(1, 2),
});
const MARGIN = 13;

/** Every copy of every event on the endless row of worlds, one after the other. */
function lookedUp(found: readonly { latitude: number; longitude: number }[], view: View) {
  const { x, y } = projectedOf(found);
  const world = worldSize(view.zoom) * view.ratio;
  const seen: string[] = [];
  for (let i = found.length - 1; i >= 0; i--) {
    for (let turn = -40; turn <= 40; turn++) {
      const px = (x[i] ?? 0) * world + turn * world - view.left * view.ratio;
      const py = (y[i] ?? 0) * world - view.top * view.ratio;
      const isIn =
        px > -MARGIN + 1 &&
        px < view.width * view.ratio + MARGIN - 2 &&
        py > -MARGIN + 1 &&
        py < view.height * view.ratio + MARGIN - 2;
      if (isIn) seen.push(`${i} ${Math.round(px / 2)} ${Math.round(py / 2)}`);
    }
  }
  return seen;
}

function projectedOf(found: readonly { latitude: number; longitude: number }[]) {
  return project(
    Float32Array.from(found, ({ latitude }) => latitude),
    Float32Array.from(found, ({ longitude }) => longitude),
  );
}

describe("the events of a view", () => {
  test("are all copies of all events that lie in it, oldest first", () => {
    fc.assert(
      fc.property(places, views, (found, view) => {
        const seen = roomFor(40 * found.length);
        look(projectedOf(found), null, view, MARGIN, seen);
        const listed = Array.from({ length: seen.count }, (_, n) => ({
          index: seen.index[n] ?? 0,
          x: seen.x[n] ?? 0,
          y: seen.y[n] ?? 0,
        }));
        const near = listed.map(({ index, x, y }) => [index, x, y]);
        for (const text of lookedUp(found, view)) {
          const [index = 0, x = 0, y = 0] = text.split(" ").map(Number);
          const hit = near.some(
            ([i, px = 0, py = 0]) =>
              i === index && Math.abs(px - 2 * x) <= 2 && Math.abs(py - 2 * y) <= 2,
          );
          expect(hit).toBe(true);
        }
        const order = listed.map(({ index }) => index);
        expect(order).toEqual(order.toSorted((a, b) => b - a));
        expect(new Set(near.map(String)).size).toBe(near.length);
      }),
    );
  });

  test("are only those that are shown", () => {
    const seen = roomFor(3);
    const found = [-1, 0, 1].map((longitude) => ({ latitude: 0, longitude }));
    const view = { left: 0, top: 0, width: 512, height: 512, zoom: 1, ratio: 1 };
    look(projectedOf(found), Uint32Array.of(0, 2), view, MARGIN, seen);
    expect([...seen.index.subarray(0, seen.count)]).toEqual([2, 0]);
  });
});

const pickables = fc.array(
  fc.record({
    x: fc.integer({ min: 0, max: 100 }),
    y: fc.integer({ min: 0, max: 100 }),
    magnitude: fc.option(fc.double({ min: 0, max: 9, noNaN: true }), { nil: Number.NaN }),
  }),
  { maxLength: 60 },
);

function seenOf(found: readonly { x: number; y: number }[]) {
  const seen = roomFor(found.length);
  for (const [n, { x, y }] of found.entries()) {
    seen.x[n] = x;
    seen.y[n] = y;
    seen.index[n] = n;
  }
  seen.count = found.length;
  return seen;
}

describe("the event at a place", () => {
  test("is that whose middle is nearest in parts of its radius, of equal ones the smallest, the topmost", () => {
    fc.assert(
      fc.property(pickables, fc.nat(100), fc.nat(100), (found, x, y) => {
        const sizes = sizesOf(Float32Array.from(found, ({ magnitude }) => magnitude));
        const diameters = [...sizes].map(diameterOfSize);
        const inside = found.flatMap((one, n) =>
          Math.hypot(one.x - x, one.y - y) <= (diameters[n] ?? 0) / 2 ? [n] : [],
        );
        const hit = nearest(seenOf(found), { x, y }, 1, { sizes, scale: 1 });
        const partOf = (n: number) =>
          Math.hypot((found[n]?.x ?? 0) - x, (found[n]?.y ?? 0) - y) / ((diameters[n] ?? 0) / 2);
        if (inside.length > 0) {
          const [first] = inside.toSorted(
            (a, b) => partOf(a) - partOf(b) || (diameters[a] ?? 0) - (diameters[b] ?? 0) || b - a,
          );
          expect(hit).toBe(first);
        } else if (hit !== null) {
          const one = found[hit] ?? { x: 1_000, y: 0 };
          const far = Math.hypot(one.x - x, one.y - y) - (diameters[hit] ?? 0) / 2;
          expect(far).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  test("is each one at its own middle, however many lie upon it or below it", () => {
    fc.assert(
      fc.property(pickables, (found) => {
        const sizes = sizesOf(Float32Array.from(found, ({ magnitude }) => magnitude));
        const seen = seenOf(found);
        for (const { x, y } of found) {
          const hit = found[nearest(seen, { x, y }, 1, { sizes, scale: 1 }) ?? -1];
          expect([hit?.x, hit?.y]).toEqual([x, y]);
        }
      }),
    );
  });
});

describe("the largest of the seen events", () => {
  test("are the events with the largest discs, no more than asked for, in their order", () => {
    fc.assert(
      fc.property(pickables, fc.integer({ min: 1, max: 20 }), (found, most) => {
        const sizes = sizesOf(Float32Array.from(found, ({ magnitude }) => magnitude));
        const large = largestOf(seenOf(found), sizes, most);
        const chosen = [...large.index.subarray(0, large.count)];
        expect(chosen.length).toBeLessThanOrEqual(most);
        expect(chosen).toEqual(chosen.toSorted((a, b) => a - b));
        const known = (n: number) => sizes[n] !== UNKNOWN_SIZE;
        const least = Math.min(...chosen.map((n) => sizes[n] ?? 0), 256);
        const left = found.flatMap((_, n) =>
          known(n) && !chosen.includes(n) ? [sizes[n] ?? 0] : [],
        );
        expect(chosen.every(known)).toBe(true);
        expect(Math.max(...left, 0)).toBeLessThan(Math.max(least, 1));
      }),
    );
  });
});
