import { describe, expect, test } from "vitest";
import { gardnerKnopoff } from "#services/domain/statistics/declustering/gardner-knopoff.ts";
import {
  countClusters,
  countRole,
  type Labels,
  largestCluster,
} from "#services/domain/statistics/declustering/labels.ts";
import { linkedWindows } from "#services/domain/statistics/declustering/linked-windows.ts";
import {
  families,
  proximities,
  thresholdOf,
} from "#services/domain/statistics/declustering/nearest-neighbour.ts";
import { reasenberg } from "#services/domain/statistics/declustering/reasenberg.ts";
import { WINDOWS } from "#services/domain/statistics/declustering/windows.ts";
import { aftershockSequences, tableOf } from "../../../support/statistics/aftershock-sequences.ts";
import { testRows } from "../../../support/test-rows.ts";

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
