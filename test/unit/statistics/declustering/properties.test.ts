import fc from "fast-check";
import { expect, test } from "vitest";
import { greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import { DAY_MS, EARTH_RADIUS_KM } from "#contracts/units.ts";
import { createEventGrid } from "#services/domain/statistics/declustering/event-grid.ts";
import { gardnerKnopoff } from "#services/domain/statistics/declustering/gardner-knopoff.ts";
import { type Labels, ROLE } from "#services/domain/statistics/declustering/labels.ts";
import { linkedWindows } from "#services/domain/statistics/declustering/linked-windows.ts";
import {
  families,
  proximities,
} from "#services/domain/statistics/declustering/nearest-neighbour.ts";
import { reasenberg } from "#services/domain/statistics/declustering/reasenberg.ts";
import { WINDOWS } from "#services/domain/statistics/declustering/windows.ts";
import { type EventTable, YEAR_MS } from "#services/domain/statistics/event-table.ts";
import { runs } from "../../../support/runs.ts";
import { tableOf } from "../../../support/statistics/aftershock-sequences.ts";
import { testRows } from "../../../support/test-rows.ts";

/** Crowds of events, also at ±180° and at the poles, some at one time or place. */
const event = fc.record({
  time: fc.integer({ min: 0, max: 400 }).map((days) => days * DAY_MS * 0.37),
  latitude: fc.oneof(
    fc.constantFrom(-90, 90, 0, 89.95),
    fc.double({ min: -41, max: -40, noNaN: true }),
  ),
  longitude: fc.oneof(
    fc.constantFrom(180, -180, 179.95, -179.95),
    fc.double({ min: 175, max: 176, noNaN: true }),
  ),
  depth: fc.oneof(fc.constant(Number.NaN), fc.double({ min: 0, max: 100, noNaN: true })),
  magnitude: fc.integer({ min: -5, max: 75 }).map((tenths) => tenths / 10),
});
const tables = fc
  .array(event, { maxLength: 40 })
  .map((events) => tableOf(events.toSorted((a, b) => a.time - b.time)));

const placeOf = ({ latitudes, longitudes }: EventTable, i: number) => ({
  latitude: latitudes[i] ?? 0,
  longitude: longitudes[i] ?? 0,
});

test("the grid finds the events within a distance, and no others, as looking at all does", () => {
  fc.assert(
    fc.property(tables, fc.double({ min: 0.5, max: 3000, noNaN: true }), (table, km) => {
      const grid = createEventGrid(table);
      for (let i = 0; i < table.length; i += 1) {
        const found: number[] = [];
        grid.near(i, km, 3, table.length, (other) => found.push(other));
        const expected = Array.from({ length: table.length }, (_, other) => other)
          .slice(3)
          .filter(
            (other) => other !== i && greatCircleKm(placeOf(table, i), placeOf(table, other)) <= km,
          );
        expect(found.toSorted((a, b) => a - b)).toEqual(expected);
      }
    }),
    { numRuns: runs(100) },
  );
});

test("the tree finds the nearest earlier event that looking at all finds", () => {
  fc.assert(
    fc.property(tables, (table) => {
      const { parents, logEtas } = proximities(table, { df: 1.6, b: 1 });
      for (let i = 0; i < table.length; i += 1) {
        let least = Number.POSITIVE_INFINITY;
        for (let j = 0; j < i; j += 1) {
          const ms = (table.times[i] ?? 0) - (table.times[j] ?? 0);
          if (ms <= 0) continue;
          const km = Math.max(0.001, greatCircleKm(placeOf(table, i), placeOf(table, j)));
          const years = Math.max(1000, ms) / YEAR_MS;
          least = Math.min(
            least,
            Math.log10(years) + 1.6 * Math.log10(km) - (table.magnitudes[j] ?? 0),
          );
        }
        expect(parents[i] === -1).toBe(least === Number.POSITIVE_INFINITY);
        if (parents[i] !== -1) expect(logEtas[i]).toBeCloseTo(least, 6);
      }
    }),
    { numRuns: runs(100) },
  );
});

const METHODS: Readonly<Record<string, (table: EventTable) => Labels>> = {
  windows: (table) => gardnerKnopoff(table, { window: WINDOWS["gk-fit"], foreshockFraction: 0.5 }),
  "linked windows": (table) => linkedWindows(table, WINDOWS["gk-table"]),
  links: (table) =>
    reasenberg(table, {
      ...{ tau0: 1, tauMin: 1, tauMax: 10, p: 0.95 },
      ...{ xk: 0.5, rfact: 10, xmeff: 1.5, floor: true },
    }),
  "nearest neighbours": (table) =>
    families(proximities(table, { df: 1.6, b: 1 }), table.magnitudes, -5),
};

testRows(
  "clusters have two events or more, numbers from 1 on, and one main event that no event exceeds but theirs",
  Object.entries(METHODS),
  (name, decluster) => {
    fc.assert(
      fc.property(tables, (table) => {
        const { clusters, roles } = decluster(table);
        const seen = [...new Set(clusters)].filter((cluster) => cluster > 0);
        expect(seen).toEqual(seen.map((_, i) => i + 1));
        for (const cluster of seen) {
          const members = [...clusters.keys()].filter((i) => clusters[i] === cluster);
          expect(members.length).toBeGreaterThan(1);
          const mains = members.filter((i) => roles[i] === ROLE.main);
          if (name === "linked windows") continue;
          expect(mains).toHaveLength(1);
          const largest = Math.max(...members.map((i) => table.magnitudes[i] ?? 0));
          expect(table.magnitudes[mains[0] ?? 0]).toBe(largest);
        }
        for (const [i, cluster] of clusters.entries()) {
          if (cluster === 0) expect(roles[i]).toBe(ROLE.main);
        }
      }),
      { numRuns: runs(100) },
    );
  },
);

test("a catalogue that is moved in time or turned around the axis has the same clusters", () => {
  fc.assert(
    fc.property(tables, fc.integer({ min: -100, max: 100 }), (table, degrees) => {
      const moved = {
        ...table,
        times: table.times.map((time) => time + 1000 * DAY_MS),
        longitudes: table.longitudes.map((longitude) => {
          const east = longitude + degrees;
          return east > 180 ? east - 360 : east < -180 ? east + 360 : east;
        }),
      };
      for (const decluster of [METHODS["windows"], METHODS["links"]]) {
        expect(decluster?.(moved)).toEqual(decluster?.(table));
      }
    }),
    { numRuns: runs(50) },
  );
});

test("the distance of the grid is the great circle's", () => {
  fc.assert(
    fc.property(tables, (table) => {
      const { distance } = createEventGrid(table);
      for (let i = 1; i < table.length; i += 1) {
        const km = greatCircleKm(placeOf(table, 0), placeOf(table, i));
        expect(distance(0, i)).toBeLessThanOrEqual(Math.PI * EARTH_RADIUS_KM);
        // Chords of opposite places have few digits.
        if (km < 15_000) expect(distance(0, i)).toBeCloseTo(km, 4);
      }
    }),
    { numRuns: runs(100) },
  );
});
