import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import { placeFiles } from "#services/console/build/place-files.ts";
import { nearestPlace } from "#services/console/model/places/nearest-place.ts";
import { type NamedPlace, placeAreas } from "#services/console/model/places/place-areas.ts";
import { FARTHEST_KM, oceanAt, whereFrom, windFrom } from "#services/console/model/places/where.ts";
import { runs } from "../../support/runs.ts";

const placesIn = (name: string): readonly NamedPlace[] =>
  JSON.parse(
    readFileSync(new URL(`../../../services/console/map/base/${name}`, import.meta.url), "utf8"),
  );
const PLACES = placesIn("places.json");
const AREAS = placeAreas(PLACES, 350);

/** Kilometres by haversines (R. W. Sinnott, Sky and Telescope 68, 1984), which the console does not use. */
function haversine(at: readonly [number, number], to: readonly [number, number]): number {
  const radian = Math.PI / 180;
  const half = (degrees: number) => Math.sin((degrees * radian) / 2) ** 2;
  const across = Math.cos(at[0] * radian) * Math.cos(to[0] * radian) * half(to[1] - at[1]);
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, half(to[0] - at[0]) + across)));
}

const anywhere = fc.oneof(
  fc.tuple(
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.double({ min: -180, max: 180, noNaN: true }),
  ),
  // Where longitudes meet, and where all of them do.
  fc.tuple(
    fc.double({ min: -50, max: 60, noNaN: true }),
    fc.constantFrom(-180, -179.9, 179.9, 180),
  ),
  fc.tuple(
    fc.constantFrom(-90, -89.99, 89.99, 90),
    fc.double({ min: -180, max: 180, noNaN: true }),
  ),
  // Where there are many.
  fc
    .constantFrom(...PLACES)
    .map(([, latitude, longitude]) => [latitude + 0.1, longitude - 0.1] as const),
);

describe("the nearest place", () => {
  test("is the one that a walk through all of them finds", () => {
    fc.assert(
      fc.property(anywhere, ([latitude, longitude]) => {
        const least = Math.min(
          ...PLACES.map(([, north, east]) => haversine([latitude, longitude], [north, east])),
        );
        const found = nearestPlace({ latitude, longitude }, AREAS, FARTHEST_KM);
        if (least > FARTHEST_KM) expect(found.kind).toBe("none");
        else if (found.kind !== "place") expect.unreachable();
        else {
          expect(found.km).toBeCloseTo(least, 6);
          expect(PLACES).toContain(found.place);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test("needs one area or a few of them, and the same place is found as they come", () => {
    fc.assert(
      fc.property(anywhere, ([latitude, longitude]) => {
        const known = AREAS.map(
          ({ box }): { box: typeof box; places: readonly NamedPlace[] | null } => ({
            box,
            places: null,
          }),
        );
        for (let fetched = 0; ; fetched++) {
          const found = nearestPlace({ latitude, longitude }, known, FARTHEST_KM);
          if (found.kind !== "area") {
            expect(found).toEqual(nearestPlace({ latitude, longitude }, AREAS, FARTHEST_KM));
            return;
          }
          expect(fetched).toBeLessThan(12);
          known[found.index] = AREAS[found.index] ?? expect.unreachable();
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test("is looked for in areas that have every place once, of at most so many", () => {
    expect(AREAS.flatMap(({ places }) => places).toSorted()).toEqual(PLACES.toSorted());
    expect(Math.max(...AREAS.map(({ places }) => places.length))).toBeLessThanOrEqual(350);
    expect(placeAreas([], 10)).toEqual([]);
  });
});

describe("the files of places", () => {
  test("are small, and the list of them names each with its box", async () => {
    const { list, areas } = await placeFiles();
    const listed: readonly { readonly address: string }[] = JSON.parse(list.content);
    expect(listed.map(({ address }) => address)).toEqual(
      areas.map(({ name }) => `/assets/${name}`),
    );
    expect(areas.flatMap(({ content }) => JSON.parse(content)).length).toBe(PLACES.length);
    const sizes = [list, ...areas].map(({ content }) => gzipSync(content).length);
    expect(Math.max(...sizes)).toBeLessThan(7_000);
  });
});

describe("where an event is", () => {
  const taupo: NamedPlace = ["Taupo", -38.68, 176.08];

  test("is told by distance and direction from a place", () => {
    expect(whereFrom(taupo, { latitude: -38.76, longitude: 176.18 })).toBe("12 km SE of Taupo");
    expect(whereFrom(taupo, { latitude: -38.681, longitude: 176.082 })).toBe("near Taupo");
    expect(whereFrom(taupo, { latitude: -38.68, longitude: 178.5 })).toBe("210 km E of Taupo");
    expect(whereFrom(taupo, { latitude: -30.5, longitude: -178 })).toBe("1,060 km NNE of Taupo");
  });

  test("is told across the antimeridian and near a pole", () => {
    const suva: NamedPlace = ["Suva", -18.14, 178.44];
    expect(whereFrom(suva, { latitude: -18.14, longitude: -179.5 })).toBe("220 km E of Suva");
    const inNorth: NamedPlace = ["Longyearbyen", 78.22, 15.64];
    expect(whereFrom(inNorth, { latitude: 90, longitude: 0 })).toBe("1,310 km N of Longyearbyen");
  });

  test("has the wind whose sector holds the direction", () => {
    const origin = { latitude: 0, longitude: 0 };
    fc.assert(
      fc.property(fc.double({ min: 0, max: 360, noNaN: true }), (azimuth) => {
        const turn = (azimuth * Math.PI) / 180;
        const at = { latitude: 0.01 * Math.cos(turn), longitude: 0.01 * Math.sin(turn) };
        const sector = Math.round(azimuth / 45) % 8;
        // Between two sectors either may be told.
        fc.pre(Math.abs(((azimuth / 45) % 1) - 0.5) > 1e-3);
        expect(windFrom(origin, at, 8)).toBe(["N", "NE", "E", "SE", "S", "SW", "W", "NW"][sector]);
      }),
    );
    expect(windFrom(origin, { latitude: 1, longitude: 0.4 }, 16)).toBe("NNE");
  });

  test("is an ocean where no place is near", () => {
    expect(oceanAt({ latitude: -45, longitude: -130 })).toBe("South Pacific Ocean");
    expect(oceanAt({ latitude: 40, longitude: 175 })).toBe("North Pacific Ocean");
    expect(oceanAt({ latitude: 45, longitude: -30 })).toBe("North Atlantic Ocean");
    expect(oceanAt({ latitude: -40, longitude: 80 })).toBe("Indian Ocean");
    expect(oceanAt({ latitude: -75, longitude: 100 })).toBe("Antarctic region");
    expect(oceanAt({ latitude: 85, longitude: 10 })).toBe("Arctic region");
  });
});
