import type { DeclusterEstimate, DeclusterMethod } from "#contracts/analytics/declustering.ts";
import { type Estimate, noEstimate, type Warning } from "../numbers/numerics.ts";
import {
  countClusters,
  countRole,
  type EventTable,
  type Labels,
  largestCluster,
  type OnProgress,
} from "./event-table.ts";
import { gardnerKnopoff, linkedWindows, WINDOWS } from "./gardner-knopoff.ts";
import { proximityFamilies } from "./nearest-neighbour.ts";
import { reasenberg } from "./reasenberg.ts";

export type Declustered = {
  readonly labels: Labels;
  readonly outcome: Estimate<DeclusterEstimate>;
  /** The method with all that was chosen by the events themselves. */
  readonly method: DeclusterMethod;
  readonly warnings: readonly Warning[];
};

type MethodOf<M extends DeclusterMethod["method"]> = Extract<DeclusterMethod, { method: M }>;
type ClusterResult = Omit<Declustered, "outcome"> & { readonly estimate: DeclusterEstimate };

/** Finds the clusters of a catalogue. @param onProgress called with the number of events done */
export function decluster(
  table: EventTable,
  method: DeclusterMethod,
  onProgress: OnProgress,
): Declustered {
  if (table.length === 0) {
    const labels = { clusters: new Int32Array(), roles: new Uint8Array() };
    return { labels, outcome: noEstimate("no event has a magnitude", 0, 1), method, warnings: [] };
  }
  const { estimate, ...result } = find(table, method, onProgress);
  return { ...result, outcome: { estimate } };
}

function find(table: EventTable, method: DeclusterMethod, onProgress: OnProgress): ClusterResult {
  switch (method.method) {
    case "gardner-knopoff":
      return byWindows(table, method, onProgress);
    case "reasenberg":
      return byLinks(table, method, onProgress);
    case "nearest-neighbour":
      return byProximity(table, method, onProgress);
  }
}

function byWindows(
  table: EventTable,
  method: MethodOf<"gardner-knopoff">,
  onProgress: OnProgress,
): ClusterResult {
  const window = WINDOWS[method.window];
  const { foreshockFraction, linked } = method;
  const { both, clusters, roles } = linked
    ? linkedWindows(table, window, onProgress)
    : { both: null, ...gardnerKnopoff(table, { window, foreshockFraction }, onProgress) };
  const estimate = {
    main: countRole(roles, "main"),
    clusters: countClusters(clusters),
    foreshocks: countRole(roles, "fore"),
    aftershocks: countRole(roles, "after") - (both ?? 0),
    ...(both !== null && { both }),
    largest: largestCluster(clusters),
  };
  return { labels: { clusters, roles }, estimate, method, warnings: [] };
}

function byLinks(
  table: EventTable,
  settings: MethodOf<"reasenberg">,
  onProgress: OnProgress,
): ClusterResult {
  const xmeff = settings.xmeff ?? table.magnitudes.reduce((least, m) => Math.min(least, m));
  const method = { ...settings, xmeff };
  const labels = reasenberg(table, method, onProgress);
  const clustered = labels.clusters.reduce((count, cluster) => count + (cluster > 0 ? 1 : 0), 0);
  const clusters = countClusters(labels.clusters);
  const estimate = {
    clusters,
    clustered,
    independent: table.length - clustered + clusters,
    largest: largestCluster(labels.clusters),
  };
  return { labels, estimate, method, warnings: [] };
}

function byProximity(
  table: EventTable,
  settings: MethodOf<"nearest-neighbour">,
  onProgress: OnProgress,
): ClusterResult {
  const { labels, estimate, fitted, isBimodal } = proximityFamilies(table, settings, onProgress);
  const method = { ...settings, threshold: estimate.threshold };
  if (isBimodal || settings.threshold !== null) return { labels, estimate, method, warnings: [] };
  const message = `the events do not fall into a clustered and a background part; the threshold between them is ${fitted}`;
  return { labels, estimate, method, warnings: [{ code: "NOT_BIMODAL", message }] };
}
