import fc from "fast-check";
import { expect, test } from "vitest";
import { outlineOf } from "#services/console/map/area-outline.ts";
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
