import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pointAt, radialScale, sectorPath } from "#services/console/features/bulletin/polar.ts";
import { gapsOf, roseOf } from "#services/console/features/bulletin/stations.ts";

const azimuth = fc.double({ min: -720, max: 720, noNaN: true }).map((value) => value + 0);

/** The widest sector that holds no more than `inside` of the azimuths, in whole degrees. */
function widestByCounting(azimuths: readonly number[], inside: number): number {
  const around = [...new Set(azimuths)];
  return Math.max(
    ...around.map((from) => {
      const after = around.map((to) => (to - from + 360) % 360).filter((turn) => turn > 0);
      return after.toSorted((a, b) => a - b)[inside] ?? 360;
    }),
  );
}

describe("the azimuthal gap", () => {
  test("reaches over the north, from one station to the next", () => {
    expect(gapsOf([10, 350, 200, 100])).toEqual({
      primary: { from: 200, to: 350, width: 150 },
      secondary: { from: 100, to: 350, width: 250 },
    });
  });

  test("is as wide as counting finds it, and the secondary one as without the worst station", () => {
    const whole = fc.integer({ min: 0, max: 359 });
    fc.assert(
      fc.property(fc.uniqueArray(whole, { minLength: 3, maxLength: 12 }), (azimuths) => {
        const { primary, secondary } = gapsOf(azimuths);
        expect(primary?.width).toBe(widestByCounting(azimuths, 0));
        expect(secondary?.width).toBe(widestByCounting(azimuths, 1));
      }),
    );
  });

  test("is none of one direction, and there is no secondary one of two", () => {
    expect(gapsOf([])).toEqual({ primary: null, secondary: null });
    expect(gapsOf([30, 390, -330])).toEqual({ primary: null, secondary: null });
    const { primary, secondary } = gapsOf([0, 90]);
    expect([primary?.width, secondary]).toEqual([270, null]);
  });
});

test("a rose counts each azimuth once, in its sector from north over east", () => {
  expect(roseOf([0, 89.9, 90, 359, -1, 450], 4)).toEqual([2, 2, 0, 2]);
  fc.assert(
    fc.property(fc.array(azimuth), fc.integer({ min: 1, max: 72 }), (azimuths, sectors) => {
      const rose = roseOf(azimuths, sectors);
      expect(rose).toHaveLength(sectors);
      expect(rose.reduce((sum, count) => sum + count, 0)).toBe(azimuths.length);
    }),
  );
});

describe("a polar drawing", () => {
  test("has north up and east to the right", () => {
    const near = ([x, y]: readonly [number, number]) => [Math.round(x) + 0, Math.round(y) + 0];
    expect([0, 90, 180, 270].map((at) => near(pointAt(at, 10)))).toEqual([
      [0, -10],
      [10, 0],
      [0, 10],
      [-10, 0],
    ]);
  });

  test("draws sectors clockwise, those of more than half a circle the long way", () => {
    expect(sectorPath(0, 90, 10)).toBe("M0 0L0 -10A10 10 0 0 1 10 0Z");
    expect(sectorPath(90, 270, 10)).toBe("M0 0L10 0A10 10 0 1 1 0 -10Z");
  });

  test("has round distances within the rim, and roots where some lie far beyond the others", () => {
    const plain = radialScale([1, 2, 4]);
    expect([plain.isRoot, plain.at(0), plain.at(plain.most)]).toEqual([false, 0, 1]);
    expect(plain.rings).toEqual([2, 4]);
    const far = radialScale([1, 1.2, 1.5, 90]);
    expect(far.isRoot).toBe(true);
    expect(far.at(far.most / 4)).toBeCloseTo(0.5, 12);
  });

  test("holds every distance, also where all are nothing or next to it", () => {
    const distance = fc.double({ min: 0, max: 180, noNaN: true });
    fc.assert(
      fc.property(fc.array(distance, { minLength: 1 }), (distances) => {
        const scale = radialScale(distances);
        for (const one of [...distances, ...scale.rings]) {
          expect(scale.at(one)).toBeGreaterThanOrEqual(0);
          expect(scale.at(one)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
