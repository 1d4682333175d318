import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_LATITUDE, project, xOf, yOf } from "#services/console/drawing/mercator.ts";

const latitudes = fc.double({ min: -85, max: 85, noNaN: true });

describe("web Mercator", () => {
  test("has the corners of the tiles: Greenwich and the equator in the middle", () => {
    expect([xOf(-180), xOf(0), xOf(180)]).toEqual([0, 0.5, 1]);
    expect(yOf(MAX_LATITUDE)).toBeCloseTo(0, 12);
    expect(yOf(0)).toBe(0.5);
    expect(yOf(-MAX_LATITUDE)).toBeCloseTo(1, 12);
    expect([yOf(90), yOf(-90)]).toEqual([yOf(MAX_LATITUDE), yOf(-MAX_LATITUDE)]);
  });

  test("is turned back by the inverse Gudermannian, and mirrored at the equator", () => {
    fc.assert(
      fc.property(latitudes, (latitude) => {
        const back = (Math.atan(Math.sinh((0.5 - yOf(latitude)) * 2 * Math.PI)) * 180) / Math.PI;
        expect(back).toBeCloseTo(latitude, 9);
        expect(yOf(-latitude)).toBeCloseTo(1 - yOf(latitude), 12);
      }),
    );
  });

  test("of many places is that of each", () => {
    const { x, y } = project(Float32Array.of(-42.5, 60), Float32Array.of(173, -179.5));
    expect([...x]).toEqual([xOf(173), xOf(-179.5)]);
    expect([...y]).toEqual([yOf(-42.5), yOf(60)]);
  });
});
