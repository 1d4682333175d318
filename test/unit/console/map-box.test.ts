import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { passing } from "#services/console/features/work/filters/local-filter.ts";
import { withinMap } from "#services/console/features/work/filters/map-box.ts";
import { columnsOf } from "./support/columns.ts";

const degrees = (most: number) => fc.integer({ min: -most, max: most });

/** Longitudes from −180 to 180 by whole and half degrees, each on the equator. */
const longitude = Array.from({ length: 721 }, (_, i) => i / 2 - 180);
const columns = columnsOf({ longitude, latitude: longitude.map(() => 0) });
const isIn = (at: number, west: number, east: number) =>
  west <= east
    ? (at >= west && at <= east) || (Math.abs(at) === 180 && (west === -180 || east === 180))
    : at >= west || at <= east;

describe("only what the map shows", () => {
  test("leaves the filters alone without a map", () => {
    expect(withinMap({ minMagnitude: "3" }, null)).toEqual({ minMagnitude: "3" });
  });

  test("is a box of about ten metres more", () => {
    const map = { south: -40.123_41, north: -38.000_09, west: 175.000_01, east: 176.999_99 };
    expect(withinMap({ minMagnitude: "3", minLatitude: "-39.5" }, map)).toEqual({
      minMagnitude: "3",
      minLatitude: "-39.5",
      maxLatitude: "-38",
      minLongitude: "175",
      maxLongitude: "177",
    });
  });

  test("finds the events of both boxes, wherever the date line lies", () => {
    fc.assert(
      fc.property(degrees(180), degrees(180), degrees(179), degrees(179), (a, b, west, east) => {
        const typed = { minLongitude: String(a), maxLongitude: String(b) };
        const map = { south: -1, north: 1, west, east };
        const found = new Set(passing(columns, withinMap(typed, map)) ?? longitude.keys());
        const inBoth = (i: number) => {
          const at = longitude[i] ?? 0;
          return isIn(at, a, b) && isIn(at, west, east);
        };
        const missed = [...longitude.keys()].filter((i) => inBoth(i) && !found.has(i));
        expect(missed).toEqual([]);
        const further = [...found].filter((i) => !isIn(longitude[i] ?? 0, a, b));
        expect(further.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
