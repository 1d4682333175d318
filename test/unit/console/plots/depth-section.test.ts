import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sectionOf } from "#services/console/plots/depth-section.ts";
import { placeOnProfile } from "#services/console/plots/profile.ts";
import { columnsOf } from "../support/columns.ts";

const QUARTER_KM = (Math.PI / 2) * 6371.0088;

describe("a place by a profile", () => {
  const fromEquator = { latitude: 0, longitude: 0, halfWidthKm: 10 };

  test("is so far along it and beside it, right of it being positive", () => {
    const east = placeOnProfile({ ...fromEquator, azimuth: 90 }, { latitude: 0, longitude: 90 });
    expect(east.along).toBeCloseTo(QUARTER_KM, 6);
    expect(east.across).toBeCloseTo(0, 6);
    const north = placeOnProfile({ ...fromEquator, azimuth: 90 }, { latitude: 1, longitude: 0 });
    expect(north.along).toBeCloseTo(0, 6);
    expect(north.across).toBeCloseTo(-QUARTER_KM / 90, 6);
    const over = { ...fromEquator, longitude: 179.5, azimuth: 90 };
    expect(placeOnProfile(over, { latitude: 0, longitude: -179.5 }).along).toBeCloseTo(
      QUARTER_KM / 90,
      6,
    );
  });

  test("is by Napier's rule as far away as along and across together say", () => {
    const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
    fc.assert(
      fc.property(
        fc.tuple(degrees(80), degrees(180), degrees(180)),
        fc.tuple(degrees(80), degrees(180)),
        ([latitude, longitude, azimuth], [atLatitude, atLongitude]) => {
          const { along, across } = placeOnProfile(
            { latitude, longitude, azimuth, halfWidthKm: 1 },
            { latitude: atLatitude, longitude: atLongitude },
          );
          const [a, b] = [(latitude * Math.PI) / 180, (atLatitude * Math.PI) / 180];
          const cosine =
            Math.sin(a) * Math.sin(b) +
            Math.cos(a) * Math.cos(b) * Math.cos(((atLongitude - longitude) * Math.PI) / 180);
          expect(Math.cos(along / 6371.0088) * Math.cos(across / 6371.0088)).toBeCloseTo(cosine, 9);
        },
      ),
    );
  });
});

describe("a depth section", () => {
  const columns = columnsOf({
    latitude: [-38, -39, -40, -38.5],
    longitude: [179, -179, 178, 179],
    depth: [10, 200, null, -1],
  });

  test("has the events with a depth, counts the others, and goes on over the date line", () => {
    const { index, at, withoutDepth, beside, axis } = sectionOf(columns, "longitude");
    expect([...index]).toEqual([0, 1, 3]);
    expect([...at]).toEqual([179, 181, 179]);
    expect([withoutDepth, beside]).toEqual([1, 0]);
    expect(axis.text?.(181)).toBe("179° W");
  });

  test("has its depths downwards, and room for what is above the sea", () => {
    const { depth } = sectionOf(columns, "latitude");
    expect(depth.from).toBeGreaterThan(200);
    expect(depth.to).toBeLessThan(-1);
  });

  test("along a profile has the events beside it no farther than its half-width", () => {
    const profile = { latitude: -38, longitude: 179, azimuth: 0, halfWidthKm: 20 };
    const { index, beside, across } = sectionOf(columns, profile);
    expect([...index]).toEqual([0, 3]);
    expect(beside).toBe(2);
    expect(across).toHaveLength(2);
  });
});
