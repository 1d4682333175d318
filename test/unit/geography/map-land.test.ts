import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { xOf, yOf } from "#services/console/drawing/mercator.ts";
import { areasOf, linesOf, type Ring } from "#services/console/map/base/rings.ts";
import { NEAR, tileAt, tilesIn, WORLD } from "#services/console/map/base/tiles.ts";
import { testRows } from "../../support/test-rows.ts";

const FOLDER = new URL("../../../services/console/map/base/", import.meta.url);
const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
type Ground = { readonly land: readonly string[] } & Parameters<typeof areasOf>[1];
const landOf = (file: string) =>
  Object.values<Ground>(read(file)).flatMap((ground) => areasOf(ground.land, ground));
const LANDS = {
  "the world": "ground-world.json",
  "the larger tiles": "ground-middle.json",
  "the smaller tiles": "ground-near.json",
  "the smallest tiles": "ground-fine.json",
};

/** How often the rings go around a place, as the map fills them: not at all in the sea. */
function isLand(rings: readonly Ring[], latitude: number, longitude: number): boolean {
  const [x, y] = [xOf(longitude), yOf(latitude)];
  let turns = 0;
  for (const { points } of rings) {
    for (let i = 0; i < points.length; i += 2) {
      const next = (i + 2) % points.length;
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [
        points[i],
        points[i + 1],
        points[next],
        points[next + 1],
      ];
      const isCrossed = y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
      if (isCrossed) turns += y2 > y1 ? 1 : -1;
    }
  }
  return turns !== 0;
}

describe.each(Object.entries(LANDS))("the land of %s", (_name, file) => {
  const rings = landOf(file);

  test("has no coast across the map", () => {
    let longest = 0;
    for (const { points, cuts } of rings) {
      for (let n = 1; 2 * n < points.length; n++) {
        if (cuts?.[n] === 1) continue;
        longest = Math.max(longest, Math.abs((points[2 * n] ?? 0) - (points[2 * n - 2] ?? 0)));
      }
    }
    expect(longest).toBeLessThan(0.1);
  });

  testRows(
    "knows what is land and what is water",
    [
      ["Chukotka on both sides of the date line", 67, 179, true],
      ["Chukotka on both sides of the date line", 67, -179, true],
      ["the sea between Fiji and Tonga", -17.5, -177, false],
      ["the Pacific in Fiji's latitude", -17, -120, false],
      ["the Arctic sea in Chukotka's latitude", 72, 170, false],
      ["Antarctica", -80, 90, true],
      ["Antarctica at the date line", -84.9, 180, true],
      ["the Southern Ocean", -60, -179.9, false],
      ["New Zealand", -38.7, 176, true],
    ],
    (_place, latitude, longitude, expected) => {
      expect(isLand(rings, latitude, longitude)).toBe(expected);
    },
  );
});

test("the tiles of a box are those of its places, over the date line too", () => {
  expect(tileAt(NEAR, -38, 176)).toBe("165e-45s");
  expect(tileAt(NEAR, 90, 180)).toBe("180w-75n");
  expect(tilesIn(NEAR, { south: -38, north: -37, west: 175, east: 176 })).toEqual(["165e-45s"]);
  const across = tilesIn(NEAR, { south: -46, north: -44, west: 179, east: -179 });
  expect(new Set(across)).toEqual(new Set(["165e-60s", "165e-45s", "180w-60s", "180w-45s"]));
  expect(tilesIn(NEAR, { south: -90, north: 90, west: -180, east: 180 })).toHaveLength(288);
  expect(tilesIn(WORLD, { south: -50, north: 10, west: 170, east: -170 })).toEqual(["180w-90s"]);
});

test("plate boundaries go through Iceland and beside Tonga", () => {
  const { step, lines } = read("plates.json");
  const plates = linesOf(lines, step);
  const nearest = (latitude: number, longitude: number) => {
    const [x, y] = [xOf(longitude), yOf(latitude)];
    return Math.min(
      ...plates.flatMap(({ points }) =>
        Array.from({ length: points.length / 2 }, (_, n) => {
          const dx = Math.abs((((points[2 * n] ?? 0) - x) % 1) + 1) % 1;
          return Math.hypot(Math.min(dx, 1 - dx), (points[2 * n + 1] ?? 0) - y) * 360;
        }),
      ),
    );
  };
  expect(nearest(64.5, -18)).toBeLessThan(3);
  expect(nearest(-20, -173.5)).toBeLessThan(2);
  expect(nearest(-25, 135)).toBeGreaterThan(10);
});
