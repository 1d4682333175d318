import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import { flinnEngdahlNumber, flinnEngdahlRegion } from "#infra/geography/flinn-engdahl.ts";
import { placeFiles } from "#services/console/build/place-files.ts";
import { worldSize, xOf, yOf } from "#services/console/drawing/mercator.ts";
import { areasOf, linesOf, type Ring } from "#services/console/map/base/rings.ts";
import {
  NEAR,
  type Place,
  placesOf,
  tileAt,
  tilesIn,
  WORLD,
} from "#services/console/map/base/tiles.ts";
import {
  FARTHEST_KM,
  type NamedPlace,
  nearestPlace,
  oceanAt,
  placeAreas,
  whereFrom,
  windFrom,
} from "#services/console/model/places.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

type Region = { readonly number: string; readonly name: string; readonly points: string };

/** Points of each region as ObsPy tells them, "latitude longitude;…"; made by flinn-engdahl.py beside it. */
const FIXTURE = join(import.meta.dirname, "../../fixtures/geography/flinn-engdahl.csv");
const REGIONS: Region[] = parse(readFileSync(FIXTURE), { columns: true });

/** Numbers that the revision of 1995 gave up. */
const GIVEN_UP = [172, 299, 550];

describe("the Flinn-Engdahl region", () => {
  test("the Flinn-Engdahl region of thousands of places, of each of all 754, is ObsPy's", () => {
    expect(REGIONS).toHaveLength(757 - GIVEN_UP.length);
    let places = 0;
    for (const { number, name, points } of REGIONS) {
      for (const point of points.split(";")) {
        const [latitude = Number.NaN, longitude = Number.NaN] = point.split(" ").map(Number);
        expect(flinnEngdahlNumber(latitude, longitude), point).toBe(Number(number));
        expect(flinnEngdahlRegion(latitude, longitude), point).toBe(name);
        places += 1;
      }
    }
    expect(places).toBeGreaterThan(3500);
  });

  test("the Flinn-Engdahl region is each from 1 to 757 somewhere, without those given up in 1995", () => {
    const found = new Set<number>();
    for (let latitude = -89.5; latitude < 90; latitude++) {
      for (let longitude = -179.5; longitude < 180; longitude++) {
        found.add(flinnEngdahlNumber(latitude, longitude));
      }
    }
    const all = Array.from({ length: 757 }, (_, i) => i + 1);
    expect([...found].sort((a, b) => a - b)).toEqual(all.filter((n) => !GIVEN_UP.includes(n)));
  });

  testRows(
    "a place has its Flinn-Engdahl region",
    [
      [48, 12, 543, "GERMANY"],
      [-30, -60, 133, "NORTHEASTERN ARGENTINA"],
      [-41.29, 174.78, 163, "COOK STRAIT, NEW ZEALAND"],
      [13.5, -15.5, 746, "SENEGAL - GAMBIA REGION"],
    ],
    (latitude, longitude, number, name) => {
      expect(flinnEngdahlNumber(latitude, longitude)).toBe(number);
      expect(flinnEngdahlRegion(latitude, longitude)).toBe(name);
    },
  );

  test("the Flinn-Engdahl region is the same at 180° and −180°, and at either zero", () => {
    for (let latitude = -90; latitude <= 90; latitude += 0.5) {
      const east = flinnEngdahlNumber(latitude, 180);
      expect(flinnEngdahlNumber(latitude, -180)).toBe(east);
      expect(flinnEngdahlNumber(latitude, -0)).toBe(flinnEngdahlNumber(latitude, 0));
    }
    expect(flinnEngdahlNumber(-0, 30)).toBe(flinnEngdahlNumber(0, 30));
  });

  test("the Flinn-Engdahl region goes from a whole degree to the next, away from zero", () => {
    for (const sign of [1, -1]) {
      for (let degree = 0; degree < 90; degree++) {
        const at = flinnEngdahlNumber(sign * degree || sign * 1e-9, 20.5);
        expect(flinnEngdahlNumber(sign * (degree + 0.999999), 20.5)).toBe(at);
      }
    }
  });

  testRows(
    "a place that is none is refused",
    [
      [90.001, 0],
      [0, 180.001],
      [0, -181],
      [Number.NaN, 0],
      [0, Number.NaN],
    ],
    (latitude, longitude) => {
      expect(() => flinnEngdahlNumber(latitude, longitude)).toThrow(RangeError);
    },
  );
});

const FOLDER = new URL("../../../services/console/map/base/", import.meta.url);
const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
const all = placesOf(read("places.json"));

/** A letter's width and height, pixels. */
const WIDE = 7;
const HIGH = 14;

function touch(one: Place, other: Place, world: number): boolean {
  const dx = Math.abs(one.x - other.x);
  const letters = Math.max(one.name.length, other.name.length);
  return Math.min(dx, 1 - dx) * world < letters * WIDE && Math.abs(one.y - other.y) * world < HIGH;
}

describe("the places of the map", () => {
  test("are at their places", () => {
    const wellington = all.find(({ name }) => name === "Wellington");
    expect(wellington?.x).toBeCloseTo((174.78 + 180) / 360, 4);
    expect(wellington?.y).toBeCloseTo(0.626, 3);
  });

  test("are named without touching each other, at any zoom", () => {
    const zooms = fc.double({ min: 1, max: 12, noNaN: true });
    fc.assert(
      fc.property(zooms, fc.nat(all.length - 1), (zoom, at) => {
        const named = all.filter((place) => place.zoom <= zoom);
        const one = named[at % named.length];
        const touched = named.filter(
          (other) => one && other !== one && touch(one, other, worldSize(zoom)),
        );
        expect(touched).toEqual([]);
      }),
      { numRuns: runs(300, 1 / 10) },
    );
  });
});

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
      { numRuns: runs(500, 1 / 10) },
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
      { numRuns: runs(500, 1 / 10) },
    );
  });

  test("is looked for in areas that have every place once, of at most so many", () => {
    const inAreas = AREAS.flatMap(({ places }) => places);
    expect(inAreas.map(String).toSorted()).toEqual(PLACES.map(String).toSorted());
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

type Ground = { readonly land: readonly string[] } & Parameters<typeof areasOf>[1];
const landOf = (file: string) =>
  Object.values<Ground>(read(file)).flatMap((ground) => areasOf(ground.land, ground));
const LANDS = {
  "the world": "ground-world.json",
  "the larger tiles": "ground-middle.json",
  "the smaller tiles": "ground-near.json",
  "the smallest tiles": "ground-fine.json",
};

/** How often the rings go around a place, as the map fills them: not at all in the sea. */
function isLand(rings: readonly Ring[], latitude: number, longitude: number): boolean {
  const [x, y] = [xOf(longitude), yOf(latitude)];
  let turns = 0;
  for (const { points } of rings) {
    for (let i = 0; i < points.length; i += 2) {
      const next = (i + 2) % points.length;
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [
        points[i],
        points[i + 1],
        points[next],
        points[next + 1],
      ];
      const isCrossed = y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
      if (isCrossed) turns += y2 > y1 ? 1 : -1;
    }
  }
  return turns !== 0;
}

describe.each(Object.entries(LANDS))("the land of %s", (_name, file) => {
  const rings = landOf(file);

  test("has no coast across the map", () => {
    let longest = 0;
    for (const { points, cuts } of rings) {
      for (let n = 1; 2 * n < points.length; n++) {
        if (cuts?.[n] === 1) continue;
        longest = Math.max(longest, Math.abs((points[2 * n] ?? 0) - (points[2 * n - 2] ?? 0)));
      }
    }
    expect(longest).toBeLessThan(0.1);
  });

  testRows(
    "knows what is land and what is water",
    [
      ["Chukotka on both sides of the date line", 67, 179, true],
      ["Chukotka on both sides of the date line", 67, -179, true],
      ["the sea between Fiji and Tonga", -17.5, -177, false],
      ["the Pacific in Fiji's latitude", -17, -120, false],
      ["the Arctic sea in Chukotka's latitude", 72, 170, false],
      ["Antarctica", -80, 90, true],
      ["Antarctica at the date line", -84.9, 180, true],
      ["the Southern Ocean", -60, -179.9, false],
      ["New Zealand", -38.7, 176, true],
    ],
    (_place, latitude, longitude, expected) => {
      expect(isLand(rings, latitude, longitude)).toBe(expected);
    },
  );
});

test("the tiles of a box are those of its places, over the date line too", () => {
  expect(tileAt(NEAR, -38, 176)).toBe("165e-45s");
  expect(tileAt(NEAR, 90, 180)).toBe("180w-75n");
  expect(tilesIn(NEAR, { south: -38, north: -37, west: 175, east: 176 })).toEqual(["165e-45s"]);
  const across = tilesIn(NEAR, { south: -46, north: -44, west: 179, east: -179 });
  expect(new Set(across)).toEqual(new Set(["165e-60s", "165e-45s", "180w-60s", "180w-45s"]));
  expect(tilesIn(NEAR, { south: -90, north: 90, west: -180, east: 180 })).toHaveLength(288);
  expect(tilesIn(WORLD, { south: -50, north: 10, west: 170, east: -170 })).toEqual(["180w-90s"]);
});

test("plate boundaries go through Iceland and beside Tonga", () => {
  const { step, lines } = read("plates.json");
  const plates = linesOf(lines, step);
  const nearest = (latitude: number, longitude: number) => {
    const [x, y] = [xOf(longitude), yOf(latitude)];
    return Math.min(
      ...plates.flatMap(({ points }) =>
        Array.from({ length: points.length / 2 }, (_, n) => {
          const dx = Math.abs((((points[2 * n] ?? 0) - x) % 1) + 1) % 1;
          return Math.hypot(Math.min(dx, 1 - dx), (points[2 * n + 1] ?? 0) - y) * 360;
        }),
      ),
    );
  };
  expect(nearest(64.5, -18)).toBeLessThan(3);
  expect(nearest(-20, -173.5)).toBeLessThan(2);
  expect(nearest(-25, 135)).toBeGreaterThan(10);
});
