import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { greatCircleKm } from "#contracts/geometry/globe.ts";
import { DAY_MS, EARTH_RADIUS_KM } from "#contracts/units.ts";
import {
  gardnerKnopoff,
  linkedWindows,
  reasenberg,
  WINDOWS,
} from "#services/domain/analytics/declustering/decluster.ts";
import {
  countClusters,
  countRole,
  createEventGrid,
  type EventTable,
  type Labels,
  largestCluster,
  ROLE,
  YEAR_MS,
} from "#services/domain/analytics/declustering/event-table.ts";
import {
  families,
  proximities,
  proximityDistribution,
  thresholdOf,
} from "#services/domain/analytics/declustering/nearest-neighbour.ts";
import { runs } from "../../support/runs.ts";
import { aftershockSequences, tableOf } from "../../support/statistics/synthetic.ts";
import { testRows } from "../../support/test-rows.ts";

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

const sum = (counts: readonly { readonly count: number }[] = []) =>
  counts.reduce((total, { count }) => total + count, 0);

test("every event with an earlier one is in one bin and in one cell, and bins have no gaps", () => {
  const catalogue = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1e6 }));
  fc.assert(
    fc.property(catalogue, fc.constantFrom(0, 1, 1.3), ([mainEvents, seed], b) => {
      const table = tableOf(aftershockSequences(mainEvents, seed));
      const options = { df: 1.6, b, threshold: null };
      const { estimate, bins, series } = proximityDistribution(table, options, () => {});
      expect([sum(bins), sum(series)]).toEqual([estimate.n, estimate.n]);
      for (const [i, { from }] of bins.entries()) {
        if (i > 0) expect(from).toBe(bins[i - 1]?.to);
      }
    }),
    { numRuns: runs(30) },
  );
});

const events = aftershockSequences();
const table = tableOf(events);

const countsOf = ({ clusters, roles }: Labels) => ({
  main: countRole(roles, "main"),
  fore: countRole(roles, "fore"),
  after: countRole(roles, "after"),
  clusters: countClusters(clusters),
  largest: largestCluster(clusters),
});

test("the synthetic catalogue is that of the reference", () => {
  expect(events).toHaveLength(7878);
});

describe("Gardner & Knopoff's windows, headed by the largest events, as SeismoStats finds them", () => {
  testRows(
    "have the counts of the reference",
    [
      ["gk-fit", 0, { main: 1848, fore: 0, after: 6030, clusters: 193, largest: 822 }],
      ["gk-fit", 1, { main: 1591, fore: 565, after: 5722, clusters: 215, largest: 840 }],
      ["uhrhammer", 1, { main: 2294, clusters: 92 }],
    ] as const,
    (name, foreshockFraction, expected) => {
      const labels = gardnerKnopoff(table, { window: WINDOWS[name], foreshockFraction });
      expect(countsOf(labels)).toMatchObject(expected);
    },
  );
});

test("windows that every event opens", () => {
  const labels = linkedWindows(table, WINDOWS["gk-table"]);
  expect(labels.both).toBe(18);
  expect(countsOf(labels)).toMatchObject({ main: 1716, fore: 41, after: 6103 + 18 });
});

describe("Reasenberg's links", () => {
  const shared = { tauMax: 10, xk: 0.5, rfact: 10, xmeff: 3 };
  testRows(
    "have the clusters of the reference",
    [
      [
        "his own program",
        { ...shared, tau0: 2, tauMin: 2, p: 0.99, floor: false },
        { clusters: 195, clustered: 4051, largest: 451 },
      ],
      [
        "the defaults",
        { ...shared, tau0: 1, tauMin: 1, p: 0.95, floor: true },
        { clusters: 181, clustered: 3864, largest: 421 },
      ],
    ],
    (_name, options, expected) => {
      const labels = reasenberg(table, options);
      const clustered = labels.clusters.filter((cluster) => cluster > 0).length;
      expect({ ...countsOf(labels), clustered }).toMatchObject(expected);
    },
  );
});

describe("nearest neighbours", () => {
  const found = proximities(table, { df: 1.6, b: 1 });
  const logEtas = found.logEtas.filter((value) => !Number.isNaN(value)).toSorted();

  test("have the proximities of Zaliapin's program", () => {
    expect(logEtas).toHaveLength(7877);
    expect(logEtas[3938]).toBeCloseTo(-6.40727, 5);
    expect(logEtas.reduce((sum, value) => sum + value, 0) / logEtas.length).toBeCloseTo(
      -6.19033,
      5,
    );
  });

  test("are of two parts, whose densities cross at the threshold", () => {
    const { threshold, mixture, ashmanD, isBimodal } = thresholdOf(found.logEtas);
    expect(mixture?.weight).toBeCloseTo(0.7914, 4);
    expect(mixture?.means[0]).toBeCloseTo(-6.9701, 4);
    expect(mixture?.means[1]).toBeCloseTo(-3.2321, 4);
    expect(mixture?.sigmas[0]).toBeCloseTo(1.7387, 4);
    expect(mixture?.sigmas[1]).toBeCloseTo(0.4826, 4);
    expect([threshold.toFixed(5), ashmanD?.toFixed(3), isBimodal]).toEqual([
      "-4.03258",
      "2.930",
      true,
    ]);
    const { background, ...labels } = families(found, table.magnitudes, threshold);
    expect([background, countClusters(labels.clusters)]).toEqual([1815, 110]);
  });

  test("make families at a given threshold", () => {
    const { background, ...labels } = families(found, table.magnitudes, -5);
    expect([background, countClusters(labels.clusters), largestCluster(labels.clusters)]).toEqual([
      2544, 103, 859,
    ]);
  });
});
