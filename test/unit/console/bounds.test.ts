import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boundsOf,
  bulkOf,
  isIn,
  nearestTurn,
  surroundingsOf,
  widthOf,
} from "#services/console/model/bounds.ts";

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
