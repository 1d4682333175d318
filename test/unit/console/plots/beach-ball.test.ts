import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Plane, tensorOf } from "#contracts/seismic-event/double-couple.ts";
import { ballPixels, firstMotion } from "#services/console/plots/beach-ball.ts";

const planes: fc.Arbitrary<Plane> = fc.record({
  strike: fc.double({ min: 0, max: 360, noNaN: true }),
  dip: fc.double({ min: 1, max: 90, noNaN: true }),
  rake: fc.double({ min: -180, max: 180, noNaN: true }),
});

describe("first motions", () => {
  test("of a normal fault are towards the source in the middle, of a reverse one away from it", () => {
    const middle = (rake: number) => firstMotion({ plane: { strike: 0, dip: 45, rake } }, 0, 0);
    expect(middle(-90)).toBeLessThan(0);
    expect(middle(90)).toBeGreaterThan(0);
    // The rim of a normal fault that strikes north is dark to the east and to the west.
    const rim = (x: number, y: number) =>
      firstMotion({ plane: { strike: 0, dip: 45, rake: -90 } }, x, y);
    expect(rim(0.99, 0)).toBeGreaterThan(0);
    expect(rim(-0.99, 0)).toBeGreaterThan(0);
  });

  test("of a vertical strike-slip fault have four quadrants: a left-lateral one is dark to the north-east", () => {
    const at = (x: number, y: number) =>
      firstMotion({ plane: { strike: 0, dip: 90, rake: 0 } }, x, y);
    expect(at(0.5, 0.5)).toBeGreaterThan(0);
    expect(at(-0.5, -0.5)).toBeGreaterThan(0);
    expect(at(0.5, -0.5)).toBeLessThan(0);
    expect(at(-0.5, 0.5)).toBeLessThan(0);
  });

  test("are the same by a plane as by its tensor", () => {
    const points = fc.double({ min: -0.7, max: 0.7, noNaN: true });
    fc.assert(
      fc.property(planes, points, points, (plane, x, y) => {
        const byPlane = 2 * firstMotion({ plane }, x, y);
        expect(firstMotion({ tensor: tensorOf(plane, 1) }, x, y)).toBeCloseTo(byPlane, 9);
      }),
    );
  });

  test("of an explosion are away from the source everywhere", () => {
    const tensor = { Mrr: 1, Mtt: 1, Mpp: 1, Mrt: 0, Mrp: 0, Mtp: 0 };
    for (const x of [-0.9, 0, 0.6]) expect(firstMotion({ tensor }, x, 0.3)).toBeCloseTo(1, 9);
  });
});

const SIDE = 96;

describe("a beach ball", () => {
  test("is dark where motion is away from the source, light where it is towards it, and nothing outside", () => {
    const pixels = ballPixels({ plane: { strike: 30, dip: 45, rake: -90 } }, SIDE);
    const at = (x: number, y: number) =>
      pixels.subarray(
        4 * (Math.round((0.5 - y / 2) * SIDE) * SIDE + Math.round((0.5 + x / 2) * SIDE)),
      );
    expect([at(0, 0)[0], at(0, 0)[3]]).toEqual([255, 255]);
    // Across the strike of 30°.
    expect(at(0.78, -0.45)[0]).toBe(60);
    expect(at(-0.78, 0.45)[0]).toBe(60);
    // Along it.
    expect(at(0.4, 0.69)[0]).toBe(255);
    expect(at(-0.95, -0.95)[3]).toBe(0);
  });
});
