import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { edgeOfCell } from "#services/gateway/routes/analytics/density.ts";
import { hasRealData } from "../../../support/real-data.ts";
import { cellOf, cellOfLongitude } from "../../../support/statistics/cell-of.ts";
import { readQuakesearch } from "../../../support/statistics/real-catalogues.ts";

describe("cells of a density", () => {
  it("hold what lies on their southern and western edges", () => {
    expect([-39, -38.95, -38.9, 0, 0.3].map((latitude) => cellOf(latitude, 0.1))).toEqual([
      -390, -390, -389, 0, 3,
    ]);
    expect(edgeOfCell(-390, 0.1)).toBe(-39);
    expect(edgeOfCell(3, 0.1)).toBe(0.3);
  });

  it("begin with a written coordinate that is a multiple of their size", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1800, max: 1799 }), (tenths) => {
        expect(cellOf(Number((tenths / 10).toFixed(1)), 0.1)).toBe(tenths);
        expect(edgeOfCell(tenths, 0.1)).toBe(Number((tenths / 10).toFixed(1)));
      }),
    );
  });

  it("are the same for both longitudes of the date line", () => {
    for (const longitude of [180, 179.99999999999997, -180]) {
      expect(cellOfLongitude(longitude, 0.1)).toBe(-1800);
      expect(cellOfLongitude(longitude, 30)).toBe(-6);
    }
    fc.assert(
      fc.property(fc.double({ min: -180, max: 179.999, noNaN: true }), (longitude) => {
        expect(cellOfLongitude(longitude, 0.1)).toBe(cellOf(longitude, 0.1));
      }),
    );
  });
});

describe.skipIf(!hasRealData)("the density of real events", () => {
  it("of GeoNet has 42 cells of 0.1°, most events in that from −39.0, 175.7 on", () => {
    const counts = new Map<string, number>();
    for (const { latitude, longitude } of readQuakesearch("G")) {
      const cells = [cellOf(latitude, 0.1), cellOfLongitude(longitude, 0.1)];
      const place = cells.map((cell) => edgeOfCell(cell, 0.1)).join();
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    expect(counts.size).toBe(42);
    expect(counts.get("-39,175.7")).toBe(3486);
    expect(Math.max(...counts.values())).toBe(3486);
  });
});
