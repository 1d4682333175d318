import fc from "fast-check";
import { expect, test } from "vitest";
import { outlineOf, ringOutline } from "#services/console/map/area-outline.ts";
import { widthOf } from "#services/console/model/bounds.ts";

test("an outline goes once around its box, in pieces shorter than half the world", () => {
  const longitude = fc.integer({ min: -180, max: 180 });
  fc.assert(
    fc.property(longitude, longitude, (west, east) => {
      const box = { south: -40, north: -30, west, east };
      const outline = outlineOf(box);
      expect(outline.at(-1)).toEqual(outline[0]);
      const length = outline.reduce((sum, to, i) => {
        const from = outline[i - 1] ?? to;
        const step =
          Math.abs(to.longitude - from.longitude) + Math.abs(to.latitude - from.latitude);
        expect(step).toBeLessThan(180);
        return sum + step;
      }, 0);
      expect(length).toBeCloseTo(2 * (widthOf(box) + 10), 9);
    }),
  );
});

test("the outline of a ring is straight in degrees, in pieces that a map draws as curves", () => {
  const position = fc.tuple(fc.integer({ min: -360, max: 360 }), fc.integer({ min: -90, max: 90 }));
  fc.assert(
    fc.property(position, position, (from, to) => {
      const outline = ringOutline([from, to]);
      const [first, last] = [outline[0], outline.at(-1)];
      expect([first?.longitude, first?.latitude]).toEqual(from);
      expect([last?.longitude, last?.latitude]).toEqual(to);
      for (const [i, { longitude, latitude }] of outline.slice(1).entries()) {
        const before = outline[i] ?? { longitude, latitude };
        const [along, up] = [longitude - before.longitude, latitude - before.latitude];
        expect(Math.abs(along)).toBeLessThanOrEqual(90);
        if (from[0] !== to[0]) expect(Math.abs(up)).toBeLessThanOrEqual(1 + 1e-9);
        expect(along * (to[1] - from[1])).toBeCloseTo(up * (to[0] - from[0]), 6);
      }
    }),
  );
});
