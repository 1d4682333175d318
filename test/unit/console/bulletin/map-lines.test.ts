import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mapLines } from "#services/console/features/bulletin/map-lines.ts";
import { ellipseOf, ellipseOfRow, outlineOf } from "#services/console/model/error-ellipse.ts";
import { directionTo, distanceKm, placeFrom } from "#services/console/model/great-circle.ts";
import { SHOWN, SMALL_BULLETIN } from "./small-bulletin.ts";

const place = fc.record({
  latitude: fc.double({ min: -89, max: 89, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

describe("on a sphere", () => {
  test("a place is as far and in the direction as it was sought, over the date line too", () => {
    const azimuth = fc.double({ min: 0, max: 360, noNaN: true });
    const km = fc.double({ min: 0.01, max: 19_000, noNaN: true });
    fc.assert(
      fc.property(place, azimuth, km, (from, way, far) => {
        const there = placeFrom(from, way, far);
        expect(Math.abs(there.longitude)).toBeLessThanOrEqual(180);
        expect(Math.abs(distanceKm(from, there) - far)).toBeLessThan(1e-4);
        const { north, east } = directionTo(from, there);
        const turn = Math.atan2(east, north) - (way * Math.PI) / 180;
        expect(Math.cos(turn)).toBeCloseTo(1, 6);
      }),
    );
  });

  test("a degree of latitude is 111.2 km, and a place is not away from itself", () => {
    const [a, b] = [
      { latitude: 0, longitude: 20 },
      { latitude: 1, longitude: 20 },
    ] as const;
    expect(distanceKm(a, b)).toBeCloseTo(111.195, 3);
    expect(distanceKm(a, a)).toBe(0);
  });
});

describe("an error ellipse", () => {
  test("reaches as far as its half axes along and across its azimuth", () => {
    const middle = { latitude: -38, longitude: 176 };
    const outline = outlineOf(middle, { longKm: 4, shortKm: 1, azimuth: 60 });
    const far = outline.map((place) => distanceKm(middle, place));
    expect(Math.max(...far)).toBeCloseTo(4, 6);
    expect(Math.min(...far)).toBeCloseTo(1, 6);
    const [tip = middle] = outline;
    const { north, east } = directionTo(middle, tip);
    expect((Math.atan2(east, north) * 180) / Math.PI).toBeCloseTo(60, 3);
    expect(distanceKm(tip, outline.at(-1) ?? middle)).toBeLessThan(1e-6);
  });

  test("is a circle of one radius, or of the longer axis where its direction is not known", () => {
    const [origin] = SMALL_BULLETIN.origin ?? [];
    const of = (...originUncertainty: object[]) =>
      origin && ellipseOf({ ...origin, originUncertainty });
    expect(of({ horizontalUncertainty: 2_500 })).toEqual({
      longKm: 2.5,
      shortKm: 2.5,
      azimuth: 0,
    });
    expect(of({ minHorizontalUncertainty: 1, maxHorizontalUncertainty: 3_000 })).toEqual({
      longKm: 3,
      shortKm: 3,
      azimuth: 0,
    });
    expect(of({}, { horizontalUncertainty: 1_000 })?.longKm).toBe(1);
    expect(of({ horizontalUncertainty: 0 })).toBeNull();
    expect(of()).toBeNull();
  });
});

test("the map has the ellipse of the preferred origin, and lines to the others", () => {
  const lines = mapLines(SMALL_BULLETIN, SHOWN);
  expect(lines).toHaveLength(2);
  expect(lines.at(-1)).toEqual([
    { latitude: -38.6, longitude: 176.2 },
    { latitude: -38.5, longitude: 176 },
  ]);
  const { origin: _, ...without } = SMALL_BULLETIN;
  expect(mapLines(without, SHOWN)).toEqual([]);
});

test("the ellipse of an event without a bulletin is its row's: a circle, else along meridian and parallel", () => {
  expect(ellipseOfRow({ ...SHOWN, horizontal_uncertainty: 2 })).toEqual({
    longKm: 2,
    shortKm: 2,
    azimuth: 0,
  });
  const degrees = { latitude_uncertainty: 0.1, longitude_uncertainty: 0.1 };
  const ellipse = ellipseOfRow({ ...SHOWN, latitude: 60, ...degrees });
  expect(ellipse?.azimuth).toBe(0);
  expect(ellipse?.longKm).toBeCloseTo(11.12, 2);
  expect(ellipse?.shortKm).toBeCloseTo(5.56, 2);
  expect(ellipseOfRow({ ...SHOWN, ...degrees, longitude_uncertainty: 1 })?.azimuth).toBe(90);
  expect(ellipseOfRow({ ...SHOWN, latitude_uncertainty: 0.1 })).toBeNull();
  const [outline] = mapLines(null, { ...SHOWN, horizontal_uncertainty: 2 });
  expect(outline).toHaveLength(49);
  expect(mapLines(null, SHOWN)).toEqual([]);
});
