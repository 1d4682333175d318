import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { longitudesBetween } from "#contracts/fdsn/filters.ts";
import { turned, wrapLongitude } from "#contracts/seismic-event/longitude.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

/** Tenths of degrees, so that the oracle can count exactly. */
const TURN = 3600;
const anyBound = fc.option(fc.integer({ min: -TURN, max: TURN }));
/** Both names of the antimeridian. */
const ALL_MERIDIANS = Array.from({ length: TURN + 1 }, (_, i) => i - TURN / 2);

/** What the filters of events select (`contracts/docs/events.md`, Reading). */
function isSelected(
  longitude: number,
  { minLongitude = -180, maxLongitude = 180 }: ReturnType<typeof longitudesBetween>,
): boolean {
  if (minLongitude > maxLongitude) return longitude >= minLongitude || longitude <= maxLongitude;
  const touches = minLongitude === -180 || maxLongitude === 180;
  return (
    (longitude >= minLongitude && longitude <= maxLongitude) ||
    (touches && Math.abs(longitude) === 180)
  );
}

/** The meridians met on the way eastwards, as tenths from 0 to 3599. */
function walked(west: number, east: number): ReadonlySet<number> {
  let end = east;
  while (end < west) end += TURN;
  const met = new Set<number>();
  for (let at = west; at <= end && met.size < TURN; at++) met.add((at + 2 * TURN) % TURN);
  return met;
}

describe("a box's longitudes", () => {
  test("a box has the meridians that a walk eastwards meets, and no others", () => {
    fc.assert(
      fc.property(anyBound, anyBound, (west, east) => {
        const filters = longitudesBetween(
          west === null ? null : west / 10,
          east === null ? null : east / 10,
        );
        const met = walked(west ?? -TURN / 2, east ?? TURN / 2);
        const isWanted = (meridian: number) =>
          (west === null && east === null) || met.has((meridian + 2 * TURN) % TURN);
        const wrong = ALL_MERIDIANS.filter(
          (meridian) => isSelected(meridian / 10, filters) !== isWanted(meridian),
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  test("bounds of a box are longitudes that filters of events take", () => {
    fc.assert(
      fc.property(anyBound, anyBound, (west, east) => {
        const { minLongitude = 0, maxLongitude = 0 } = longitudesBetween(
          west === null ? null : west / 10,
          east === null ? null : east / 10,
        );
        expect(Math.abs(minLongitude)).toBeLessThanOrEqual(180);
        expect(Math.abs(maxLongitude)).toBeLessThanOrEqual(180);
      }),
    );
  });

  test("a box within ±180° keeps its numbers", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -179, max: 179, noNaN: true }),
        fc.double({ min: -179, max: 179, noNaN: true }),
        (west, east) => {
          expect(longitudesBetween(west, east)).toEqual({ minLongitude: west, maxLongitude: east });
        },
      ),
    );
  });
});

describe("a longitude", () => {
  testRows(
    "a longitude is a meridian from −180 to 180",
    [
      [359.9, -0.1],
      [-359.9, 0.1],
      [360, 0],
      [-360, 0],
      [180, 180],
      [-180, -180],
      [180.000001, -179.999999],
      [12.5, 12.5],
    ],
    (longitude, expected) => {
      expect(wrapLongitude(longitude)).toBe(expected);
    },
  );

  test("a longitude of many digits, or with an exponent, is turned as well", () => {
    expect(turned(1e-7, 1)).toBeCloseTo(360, 6);
    expect(turned(0.1234567890123456, -1)).toBeCloseTo(-359.8765432109877, 12);
  });
});
