import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_LATITUDE, project, xOf, yOf } from "#services/console/drawing/mercator.ts";
import { gapsOf, roseOf } from "#services/console/features/bulletin/arrival-rows.ts";
import { pointAt, radialScale, sectorPath } from "#services/console/features/bulletin/polar.ts";
import { mapLines } from "#services/console/features/bulletin/solution-lines.ts";
import { offsetText } from "#services/console/features/merge/clusters/clusters.ts";
import { outlineOf as boxOutline, ringOutline } from "#services/console/map/shapes.ts";
import {
  boundsOf,
  bulkOf,
  isIn,
  nearestTurn,
  surroundingsOf,
  widthOf,
} from "#services/console/model/bounds.ts";
import { ellipseOf, ellipseOfRow, outlineOf } from "#services/console/model/error-ellipse.ts";
import {
  azimuthTo,
  directionTo,
  distanceKm,
  placeFrom,
} from "#services/console/model/great-circle.ts";
import { placeOnProfile, sectionOf } from "#services/console/plots/event-plot.ts";
import { SHOWN, SMALL_BULLETIN } from "../../support/bulletins/phases-bulletin.ts";
import { testRows } from "../../support/test-rows.ts";
import { columnsOf } from "./columns.ts";

const places = fc.array(
  fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }).map(Math.fround),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }).map(Math.fround),
  }),
  { minLength: 1, maxLength: 30 },
);

function arraysOf(found: readonly { latitude: number; longitude: number }[]) {
  return [
    Float32Array.from(found, ({ latitude }) => latitude),
    Float32Array.from(found, ({ longitude }) => longitude),
  ] as const;
}

/** The width of the smallest box, by trying every event as its western edge. */
function leastWidth(longitudes: readonly number[]): number {
  const turned = (degrees: number) => ((degrees % 360) + 360) % 360;
  return Math.min(
    ...longitudes.map((west) => Math.max(...longitudes.map((at) => turned(at - west)))),
  );
}

describe("the box around events", () => {
  test("holds all of them, and is no wider than it must be", () => {
    fc.assert(
      fc.property(places, (found) => {
        const bounds = boundsOf(...arraysOf(found), null);
        if (!bounds) throw new Error("no box");
        const { south, north, west } = bounds;
        const width = widthOf(bounds);
        for (const { latitude, longitude } of found) {
          expect(latitude >= south && latitude <= north).toBe(true);
          const from = (((longitude - west + 1e-6) % 360) + 360) % 360;
          expect(from).toBeLessThanOrEqual(width + 1e-5);
        }
        // The empty stretch is sought in tenths of a degree.
        expect(width).toBeLessThanOrEqual(leastWidth(found.map((one) => one.longitude)) + 0.2);
      }),
    );
  });

  test("lies across the date line where the events do", () => {
    const bounds = boundsOf(Float32Array.of(-20, -18), Float32Array.of(179, -178), null);
    expect(bounds).toEqual({ south: -20, north: -18, west: 179, east: -178 });
  });

  test("of events all around is the world, of none nothing; of shown ones theirs", () => {
    const around = Float32Array.from({ length: 7_200 }, (_, i) => -180 + i / 20);
    const zeros = new Float32Array(7_200);
    expect(boundsOf(zeros, around, null)).toEqual({ south: 0, north: 0, west: -180, east: 180 });
    expect(boundsOf(zeros, around, new Uint32Array())).toBeNull();
    expect(boundsOf(zeros, around, Uint32Array.of(3_600))).toEqual({
      south: 0,
      north: 0,
      west: 0,
      east: 0,
    });
  });
});

describe("the box around almost all events", () => {
  /** Events side by side around 179° E, and some far away. */
  const clusterWith = (outliers: number, events = 1_000) => {
    const found = Array.from({ length: events }, (_, i) => ({
      latitude: -20 + (i % 37) / 37,
      longitude: 179.5 + (i % 41) / 41 > 180 ? 179.5 + (i % 41) / 41 - 360 : 179.5 + (i % 41) / 41,
    }));
    for (let i = 0; i < outliers; i++) found[i] = { latitude: 60, longitude: -100 };
    const [latitude, longitude] = arraysOf(found);
    const whole = boundsOf(latitude, longitude, null);
    if (!whole) throw new Error("no box");
    return { found, whole, bulk: bulkOf(latitude, longitude, null, whole) };
  };

  test("leaves a few out that lie far away, over the date line too", () => {
    const { found, whole, bulk } = clusterWith(4);
    if (!bulk) throw new Error("no box");
    expect(widthOf(bulk)).toBeLessThan(2);
    expect(widthOf(whole)).toBeGreaterThan(70);
    expect(found.filter((one) => !isIn(bulk, one))).toHaveLength(4);
  });

  test("is not sought among few events, where none lies apart, nor where many do", () => {
    expect(clusterWith(1, 100).bulk).toBeNull();
    expect(clusterWith(0).bulk).toBeNull();
    expect(clusterWith(100).bulk).toBeNull();
  });
});

test("the nearest turn of a longitude is at most half the world away, by whole turns", () => {
  const degrees = fc.integer({ min: -720, max: 720 });
  fc.assert(
    fc.property(degrees, degrees, (longitude, other) => {
      const turn = nearestTurn(longitude, other);
      expect(Math.abs(turn - other)).toBeLessThanOrEqual(180);
      expect(Math.abs(turn - longitude) % 360).toBe(0);
    }),
  );
});

describe("the surroundings of a box", () => {
  test("are about a degree around what is smaller than one, also over the date line", () => {
    expect(surroundingsOf({ south: -43, north: -42.5, west: 172, east: 172 })).toEqual({
      zoom: 8,
      latitude: -42.75,
      longitude: 172,
    });
    expect(surroundingsOf({ south: 0, north: 0, west: 179.75, east: -179.75 })?.longitude).toBe(
      180,
    );
  });

  test("are not needed from a degree on", () => {
    expect(surroundingsOf({ south: 0, north: 1, west: 10, east: 10 })).toBeNull();
    expect(surroundingsOf({ south: 0, north: 0, west: 179, east: -179 })).toBeNull();
  });
});

test("an outline goes once around its box, in pieces shorter than half the world", () => {
  const longitude = fc.integer({ min: -180, max: 180 });
  fc.assert(
    fc.property(longitude, longitude, (west, east) => {
      const box = { south: -40, north: -30, west, east };
      const outline = boxOutline(box);
      expect(outline.at(-1)).toEqual(outline[0]);
      const length = outline.reduce((sum, to, i) => {
        const from = outline[i - 1] ?? to;
        const step =
          Math.abs(to.longitude - from.longitude) + Math.abs(to.latitude - from.latitude);
        expect(step).toBeLessThan(180);
        return sum + step;
      }, 0);
      expect(length).toBeCloseTo(2 * (widthOf(box) + 10), 9);
    }),
  );
});

test("the outline of a ring is straight in degrees, in pieces that a map draws as curves", () => {
  const position = fc.tuple(fc.integer({ min: -360, max: 360 }), fc.integer({ min: -90, max: 90 }));
  fc.assert(
    fc.property(position, position, (from, to) => {
      const outline = ringOutline([from, to]);
      const [first, last] = [outline[0], outline.at(-1)];
      expect([first?.longitude, first?.latitude]).toEqual(from);
      expect([last?.longitude, last?.latitude]).toEqual(to);
      for (const [i, { longitude, latitude }] of outline.slice(1).entries()) {
        const before = outline[i] ?? { longitude, latitude };
        const [along, up] = [longitude - before.longitude, latitude - before.latitude];
        expect(Math.abs(along)).toBeLessThanOrEqual(90);
        if (from[0] !== to[0]) expect(Math.abs(up)).toBeLessThanOrEqual(1 + 1e-9);
        expect(along * (to[1] - from[1])).toBeCloseTo(up * (to[0] - from[0]), 6);
      }
    }),
  );
});

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
    const { index, withoutDepth, beside, x } = sectionOf(columns, "longitude");
    expect([...index]).toEqual([0, 1, 3]);
    expect(Array.from(index, x.at)).toEqual([179, 181, 179]);
    expect([withoutDepth, beside]).toEqual([1, 0]);
    expect(x.text?.(181)).toBe("179° W");
  });

  test("has its depths downwards, and room for what is above the sea", () => {
    const { y } = sectionOf(columns, "latitude");
    expect(y.from).toBeGreaterThan(200);
    expect(y.to).toBeLessThan(-1);
  });

  test("along a profile has the events beside it no farther than its half-width", () => {
    const profile = { latitude: -38, longitude: 179, azimuth: 0, halfWidthKm: 20 };
    const { index, beside } = sectionOf(columns, profile);
    expect([...index]).toEqual([0, 3]);
    expect(beside).toBe(2);
  });
});

const at = (latitude: number, longitude: number) => ({ latitude, longitude });

testRows(
  "the second event of a pair lies so far in a direction from the first",
  [
    [at(-42, 173), at(-41.97, 173), "3.3 km N"],
    [at(-42, 173), at(-42, 173.04), "3.3 km E"],
    [at(-42, 173), at(-42.02, 173.03), "3.3 km SE"],
    [at(-42, 173), at(-42.02, 172.97), "3.3 km SW"],
    [at(0, 179.99), at(0.01, -179.99), "2.5 km NE"],
  ],
  (first, second, text) => {
    const { 0: km = "" } = text.split(" ");
    expect(offsetText(first, second, Number(km))).toBe(text);
  },
);

test("events at one place, or nearly, have no direction between them", () => {
  expect(offsetText(at(1, 2), at(1, 2), 0)).toBe("0.0 km");
  expect(offsetText(at(1, 2), at(1.000_001, 2), 0.000_1)).toBe("0.0 km");
});

/** The oracle goes the way on the sphere: from the first so far in the direction, and is at the second. */
test("who goes in the direction of the shift comes to the second event", () => {
  const place = fc.record({
    latitude: fc.double({ min: -80, max: 80, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  fc.assert(
    fc.property(place, fc.double({ min: 0, max: 359, noNaN: true }), (from, direction) => {
      const far = 0.01;
      const [phi, lambda, theta] = [from.latitude, from.longitude, direction].map(
        (degrees) => (degrees * Math.PI) / 180,
      ) as [number, number, number];
      const phi2 = Math.asin(
        Math.sin(phi) * Math.cos(far) + Math.cos(phi) * Math.sin(far) * Math.cos(theta),
      );
      const lambda2 =
        lambda +
        Math.atan2(
          Math.sin(theta) * Math.sin(far) * Math.cos(phi),
          Math.cos(far) - Math.sin(phi) * Math.sin(phi2),
        );
      const to = at((phi2 * 180) / Math.PI, (lambda2 * 180) / Math.PI);
      const off = Math.abs(azimuthTo(from, to) - direction);
      expect(Math.min(off, 360 - off)).toBeLessThan(1e-6);
    }),
  );
});
