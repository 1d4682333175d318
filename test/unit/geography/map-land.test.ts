import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { xOf, yOf } from "#services/console/drawing/mercator.ts";
import { type Ring, ringsOf } from "#services/console/map/base/rings.ts";

const require = createRequire(import.meta.url);
const FILES = ["land-50m", "land-10m"];
const read = (file: string) =>
  ringsOf(JSON.parse(readFileSync(require.resolve(`world-atlas/${file}.json`), "utf8")));

/** Whether a place is on land: inside an odd number of rings, on any turn of the world. */
function isLand(rings: readonly Ring[], latitude: number, longitude: number): boolean {
  const y = yOf(latitude);
  let crossed = 0;
  for (const { points } of rings) {
    for (const x of [xOf(longitude) - 1, xOf(longitude), xOf(longitude) + 1]) {
      for (let i = 0; i < points.length; i += 2) {
        const next = (i + 2) % points.length;
        const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [
          points[i],
          points[i + 1],
          points[next],
          points[next + 1],
        ];
        if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) crossed++;
      }
    }
  }
  return crossed % 2 === 1;
}

describe.each(FILES)("the land of %s", (file) => {
  const rings = read(file);

  test("has no line across the map", () => {
    let longest = 0;
    for (const { points } of rings) {
      for (let i = 2; i < points.length; i += 2) {
        longest = Math.max(longest, Math.abs((points[i] ?? 0) - (points[i - 2] ?? 0)));
      }
    }
    expect(longest).toBeLessThan(0.1);
  });

  test.each([
    ["Chukotka on both sides of the date line", 67, 179, true],
    ["Chukotka on both sides of the date line", 67, -179, true],
    ["the sea between Fiji and Tonga", -17.5, -177, false],
    ["the Pacific in Fiji's latitude", -17, -120, false],
    ["the Arctic sea in Chukotka's latitude", 72, 170, false],
    ["Antarctica", -80, 90, true],
    ["Antarctica at the date line", -84.9, 180, true],
    ["the Southern Ocean", -60, -179.9, false],
    ["New Zealand", -38.7, 176, true],
  ])("knows %s at %d°, %d°", (_place, latitude, longitude, expected) => {
    expect(isLand(rings, latitude, longitude)).toBe(expected);
  });
});
