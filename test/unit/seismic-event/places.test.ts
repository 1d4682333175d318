import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Coordinates, greatCircleKm } from "#contracts/geometry/globe.ts";
import { auxiliaryPlane, tensorOf } from "#contracts/seismic-event/double-couple.ts";
import {
  eventId,
  eventIdAt,
  eventIdPrefix,
  MAX_INDEX,
  MAX_REVISION,
} from "#contracts/seismic-event/ids.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import {
  type CopyField,
  countedUuidField,
  createCopyBuffer,
  uuidField,
} from "#infra/postgres/copy/binary-copy.ts";

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

const PLANES = fc.record({
  strike: fc.double({ min: 0, max: 359.9, noNaN: true }),
  dip: fc.double({ min: 5, max: 85, noNaN: true }),
  rake: fc.double({ min: -175, max: 175, noNaN: true }),
});

test("both planes of a double couple have the same moment tensor", () => {
  fc.assert(
    fc.property(PLANES, (plane) => {
      const other = auxiliaryPlane(plane);
      const [first, second] = [tensorOf(plane, 1), tensorOf(other, 1)];
      for (const part of ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"] as const) {
        expect(second[part]).toBeCloseTo(first[part], 6);
      }
      expect(other.dip).toBeGreaterThanOrEqual(0);
      expect(other.dip).toBeLessThanOrEqual(90.000001);
    }),
  );
});

test("a double couple's tensor has no trace and the given moment", () => {
  fc.assert(
    fc.property(PLANES, (plane) => {
      const { Mrr, Mtt, Mpp, Mrt, Mrp, Mtp } = tensorOf(plane, 3);
      expect(Mrr + Mtt + Mpp).toBeCloseTo(0, 9);
      const squares = Mrr ** 2 + Mtt ** 2 + Mpp ** 2 + 2 * (Mrt ** 2 + Mrp ** 2 + Mtp ** 2);
      expect(Math.sqrt(squares / 2)).toBeCloseTo(3, 9);
    }),
  );
});

test("the planes of a known mechanism are its published ones", () => {
  // Aki & Richards' vertical strike slip: the other plane is at right angles.
  const { strike, dip, rake } = auxiliaryPlane({ strike: 0, dip: 89.999, rake: 0 });
  expect(strike % 180).toBeCloseTo(90, 1);
  expect(dip).toBeCloseTo(90, 1);
  expect(Math.abs(rake)).toBeCloseTo(180, 1);
  // A normal fault dipping 60° to the east: the other dips 30° to the west.
  const normal = auxiliaryPlane({ strike: 0, dip: 60, rake: -90 });
  expect(normal.strike).toBeCloseTo(180, 6);
  expect(normal.dip).toBeCloseTo(30, 6);
  expect(normal.rake).toBeCloseTo(-90, 6);
});

/** The revision that added an event, and the event's index in it. */
function parseEventId(id: string): { revision: number; index: number } {
  return {
    revision: Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16) - 0x8000_0000,
    index: Number.parseInt(id.slice(28), 16),
  };
}

const catalogueId = fc.uuid({ version: 4 });
const revision = fc.integer({ min: 0, max: MAX_REVISION });
const index = fc.integer({ min: 0, max: MAX_INDEX });

test("an event id is a UUID of version 8", () => {
  fc.assert(
    fc.property(catalogueId, revision, index, (id, r, i) => {
      expect(z.uuid({ version: "v8" }).safeParse(eventId(id, r, i)).success).toBe(true);
    }),
  );
});

test("an event id tells its revision and index", () => {
  fc.assert(
    fc.property(catalogueId, revision, index, (id, r, i) => {
      expect(parseEventId(eventId(id, r, i))).toEqual({ revision: r, index: i });
    }),
  );
});

test("the ids of one catalogue sort by revision, then index", () => {
  const place = fc.tuple(revision, index);
  fc.assert(
    fc.property(catalogueId, place, place, (id, [r1, i1], [r2, i2]) => {
      const [a, b] = [eventId(id, r1, i1), eventId(id, r2, i2)];
      expect(a < b).toBe(r1 < r2 || (r1 === r2 && i1 < i2));
    }),
  );
});

test("catalogues that differ in a random bit have different event ids", () => {
  fc.assert(
    fc.property(catalogueId, catalogueId, (a, b) => {
      fc.pre(a.slice(0, 18) !== b.slice(0, 18));
      expect(eventId(a, 1, 0)).not.toBe(eventId(b, 1, 0));
    }),
  );
});

test("the ids of a revision share their prefix", () => {
  const id = "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b";
  expect(eventIdAt(eventIdPrefix(id, 5), 255)).toBe("7f3e1b52-9c4d-8a86-8000-0005000000ff");
  expect(eventId(id.toUpperCase(), 5, 255)).toBe(eventId(id, 5, 255));
});

test("the ids of a revision count on as COPY writes them", () => {
  const bytesOf = (field: CopyField, row: number): Buffer => {
    const buffer = createCopyBuffer(32);
    field(buffer, row);
    return buffer.take();
  };
  const firstAndNext = fc.tuple(fc.integer({ min: 0, max: MAX_INDEX - 5_000 }), fc.nat(5_000));
  fc.assert(
    fc.property(catalogueId, revision, firstAndNext, (id, r, [first, row]) => {
      const counted = countedUuidField(eventId(id, r, first));
      expect(bytesOf(counted, row)).toEqual(bytesOf(uuidField([eventId(id, r, first + row)]), 0));
    }),
  );
});

test("revisions and indexes that do not fit are refused", () => {
  const id = "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b";
  expect(() => eventId(id, MAX_REVISION + 1, 0)).toThrow(RangeError);
  expect(() => eventId(id, 1, MAX_INDEX + 1)).toThrow(RangeError);
  expect(() => eventId(id, 1, -1)).toThrow(RangeError);
  expect(() => eventId(id, 1.5, 0)).toThrow(RangeError);
});
