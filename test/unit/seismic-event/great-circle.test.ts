import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Coordinates, greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";

const place = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const at = (latitude: number, longitude: number): Coordinates => ({ latitude, longitude });

/** From the cross and the dot product of the position vectors, exact enough at every angle. */
function vectorKm(a: Coordinates, b: Coordinates): number {
  const [ax, ay, az] = vector(a);
  const [bx, by, bz] = vector(b);
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  return 6371.0088 * Math.atan2(cross, ax * bx + ay * by + az * bz);
}

function vector({ latitude, longitude }: Coordinates): [number, number, number] {
  const phi = (latitude * Math.PI) / 180;
  const lambda = (longitude * Math.PI) / 180;
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

describe("the great-circle distance", () => {
  test("the great-circle distance is 111.195 km for a degree of a meridian and of the equator", () => {
    expect(KM_PER_DEGREE).toBeCloseTo(111.19508, 5);
    expect(greatCircleKm(at(10, 20), at(11, 20))).toBeCloseTo(KM_PER_DEGREE, 9);
    expect(greatCircleKm(at(0, 20), at(0, 21))).toBeCloseTo(KM_PER_DEGREE, 9);
  });

  test("the great-circle distance is half the circumference between antipodes", () => {
    expect(greatCircleKm(at(0, 0), at(0, 180))).toBeCloseTo(20015.114442, 6);
    expect(greatCircleKm(at(90, 0), at(-90, 0))).toBeCloseTo(20015.114442, 6);
  });

  test("the great-circle distance is the short way across the date line, and 0 from 180° to −180°", () => {
    expect(greatCircleKm(at(0, 179.5), at(0, -179.5))).toBeCloseTo(KM_PER_DEGREE, 9);
    expect(greatCircleKm(at(-17.25, 180), at(-17.25, -180))).toBe(0);
  });

  test("the great-circle distance is 0 between all longitudes of a pole, and leads over it", () => {
    expect(greatCircleKm(at(90, 0), at(90, 137.5))).toBe(0);
    expect(greatCircleKm(at(-90, -170), at(-90, 20))).toBe(0);
    expect(greatCircleKm(at(89.5, 0), at(89.5, 180))).toBeCloseTo(KM_PER_DEGREE, 9);
  });

  test("the great-circle distance agrees with the angle between position vectors", () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        expect(Math.abs(greatCircleKm(a, b) - vectorKm(a, b))).toBeLessThan(2e-4);
      }),
    );
  });

  test("the great-circle distance is the same both ways to the last bit, and 0 to itself", () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        expect(greatCircleKm(a, b)).toBe(greatCircleKm(b, a));
        expect(greatCircleKm(a, a)).toBe(0);
      }),
    );
  });
});
