import type { ClusterRole } from "#contracts/decluster.ts";

/** What an event is in its cluster; an event without a cluster is a main event by itself. */
export const ROLE = { main: 0, fore: 1, after: 2 } as const satisfies Record<ClusterRole, number>;

/** Of each event of a table: its cluster, from 1, or 0 for none, and its role. */
export type Labels = { readonly clusters: Int32Array; readonly roles: Uint8Array };

/** Called now and then with the number of events that are done. */
export type OnProgress = (done: number) => void;

/** Numbers the clusters of two events and more by their first event, from 1. @param roots any number of each cluster */
export function numberClusters(roots: Int32Array): Int32Array {
  const sizes = new Map<number, number>();
  for (const root of roots) sizes.set(root, (sizes.get(root) ?? 0) + 1);
  const numbers = new Map<number, number>();
  return roots.map((root) => {
    if (sizes.get(root) === 1) return 0;
    const number = numbers.get(root) ?? numbers.size + 1;
    numbers.set(root, number);
    return number;
  });
}

/** The number of events in the largest cluster; 1 where there is none, 0 without events. */
export function largestCluster(clusters: Int32Array): number {
  const sizes = new Int32Array(clusters.reduce((most, cluster) => Math.max(most, cluster), 0) + 1);
  for (const cluster of clusters) sizes[cluster] = (sizes[cluster] ?? 0) + 1;
  return sizes
    .subarray(1)
    .reduce((most, size) => Math.max(most, size), Math.min(1, clusters.length));
}

export function countClusters(clusters: Int32Array): number {
  return clusters.reduce((most, cluster) => Math.max(most, cluster), 0);
}

export function countRole(roles: Uint8Array, role: ClusterRole): number {
  return roles.reduce((count, each) => count + (each === ROLE[role] ? 1 : 0), 0);
}
