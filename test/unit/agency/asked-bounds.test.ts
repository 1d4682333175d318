import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgencyQuery } from "#infra/agency/agency-query.ts";
import { askedBounds } from "#infra/agency/asked-bounds.ts";
import { createQueryTest } from "#infra/agency/read-window.ts";
import { runs } from "../../support/runs.ts";

const REGION = "7d1f0c9e-52a4-4c1b-8e0a-3b6f5d9a1c20";
const DAY = { startTime: "2020-01-01T00:00:00Z", endTime: "2020-01-02T00:00:00Z" };
const EVERYWHERE = { minLatitude: -90, maxLatitude: 90, minLongitude: -180, maxLongitude: 180 };
const query = (parts: Partial<AgencyQuery>): AgencyQuery => ({ ...DAY, detail: "full", ...parts });
/** A square between two meridians and two parallels. */
function squareOf(west: number, south: number, east: number, north: number) {
  const ring: [number, number][] = [];
  ring.push([west, south], [east, south], [east, north], [west, north], [west, south]);
  return { coordinates: [ring] };
}
const wktOf = ({ coordinates: [ring = []] }: ReturnType<typeof squareOf>) =>
  `POLYGON ((${ring.map((place) => place.join(" ")).join(", ")}))`;
const polygonOf = (...square: Parameters<typeof squareOf>) => wktOf(squareOf(...square));

describe("what is asked for is", () => {
  test("the bounds alone, where there is no shape", () => {
    expect(askedBounds(query({ minLatitude: -5, maxLongitude: null }))).toEqual({
      ...EVERYWHERE,
      minLatitude: -5,
    });
  });

  test("the box of the polygon within the latitudes, and the narrower longitudes", () => {
    const polygon = polygonOf(170, -50, 200, -30);
    expect(askedBounds(query({ polygon, minLatitude: -45, minLongitude: 0 }))).toEqual({
      minLatitude: -45,
      maxLatitude: -30,
      minLongitude: 170,
      maxLongitude: -160,
    });
  });

  test("all longitudes at a pole", () => {
    const polygon = polygonOf(0, 70, 10, 90);
    expect(askedBounds(query({ polygon }))).toEqual({ ...EVERYWHERE, minLatitude: 70 });
  });
});

const LATITUDE = fc.integer({ min: -90, max: 90 });
const SQUARE = fc
  .tuple(fc.integer({ min: -180, max: 179 }), LATITUDE, fc.nat(180), fc.nat(90))
  .map(([west, south, width, height]) =>
    squareOf(west, south, west + width + 1, Math.min(90, south + height + 1)),
  )
  .filter(({ coordinates }) => coordinates[0]?.[0]?.[1] !== coordinates[0]?.[2]?.[1]);
const BOUND = fc.option(fc.integer({ min: -180, max: 180 }), { nil: null });

test("whatever is wanted lies in what is asked for", () => {
  fc.assert(
    fc.property(
      ...[SQUARE, SQUARE, BOUND, BOUND, fc.integer({ min: -180, max: 180 }), LATITUDE],
      (drawn, saved, minLongitude, maxLongitude, longitude, latitude) => {
        const regionArea = { revision: "1", area: [saved.coordinates] };
        const asked = query({
          polygon: wktOf(drawn),
          region: REGION,
          regionArea,
          minLongitude,
          maxLongitude,
        });
        const event = { time: "2020-01-01T12:00:00Z", longitude, latitude };
        if (!createQueryTest(asked)(event)) return;
        expect(createQueryTest(query(askedBounds(asked)))(event)).toBe(true);
      },
    ),
    { numRuns: runs(2_000, 1 / 20) },
  );
});
