import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { worldSize } from "#services/console/drawing/mercator.ts";
import { type Place, placesOf } from "#services/console/map/base/places.ts";
import { runs } from "../../support/runs.ts";

const FOLDER = new URL("../../../services/console/map/base/", import.meta.url);
const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
const all = placesOf(read("places.json"));

/** A letter's width and height, pixels. */
const WIDE = 7;
const HIGH = 14;

function touch(one: Place, other: Place, world: number): boolean {
  const dx = Math.abs(one.x - other.x);
  const letters = Math.max(one.name.length, other.name.length);
  return Math.min(dx, 1 - dx) * world < letters * WIDE && Math.abs(one.y - other.y) * world < HIGH;
}

describe("the places of the map", () => {
  test("are at their places", () => {
    const wellington = all.find(({ name }) => name === "Wellington");
    expect(wellington?.x).toBeCloseTo((174.78 + 180) / 360, 4);
    expect(wellington?.y).toBeCloseTo(0.626, 3);
  });

  test("are named without touching each other, at any zoom", () => {
    const zooms = fc.double({ min: 1, max: 12, noNaN: true });
    fc.assert(
      fc.property(zooms, fc.nat(all.length - 1), (zoom, at) => {
        const named = all.filter((place) => place.zoom <= zoom);
        const one = named[at % named.length];
        const touched = named.filter(
          (other) => one && other !== one && touch(one, other, worldSize(zoom)),
        );
        expect(touched).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });
});
