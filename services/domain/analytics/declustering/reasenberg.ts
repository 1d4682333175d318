import { DAY_MS } from "#contracts/units.ts";
import { firstAtLeast } from "../numbers/numerics.ts";
import {
  createEventGrid,
  type EventTable,
  type Labels,
  type OnProgress,
  ROLE,
} from "./event-table.ts";

/** The parameters of Reasenberg (1985), with his names. */
export type ReasenbergOptions = {
  /** Days that an event looks ahead which is not in a cluster, or not after its largest event. */
  readonly tau0: number;
  /** Bounds of the days that other events look ahead. */
  readonly tauMin: number;
  readonly tauMax: number;
  /** Probability of seeing the next event of the sequence within that time. */
  readonly p: number;
  /** Raises the magnitude from which a large cluster's events count. */
  readonly xk: number;
  /** Number of crack radii around an event. */
  readonly rfact: number;
  /** Effective magnitude of completeness. */
  readonly xmeff: number;
  /** Whether the difference between largest and effective magnitude is at least 0. */
  readonly floor: boolean;
};

/** Longest distance of two linked events, km: the thickness of the crust. */
const MAX_KM = 30;
/** Radius of the crack of an event of magnitude 0, km (Kanamori & Anderson 1975, 30 bar). */
const CRACK_KM = 0.011;
const REPORT = 5_000;

/**
 * Declusters by links of interaction zones (Reasenberg 1985). In order of time each event looks ahead for τ
 * days and links with those whose hypocentral distance is at most
 * min(30 km, rfact · 0.011 · 10^(0.4 M) + 0.011 · 10^(0.4 M_max)), M_max being that of its cluster so far, 0
 * without one. After its cluster's largest event
 * τ = −ln(1 − p) · t / 10^(2 (ΔM − 1) / 3), with t since that event and ΔM = (1 − xk) M_max − xmeff,
 * between tauMin and tauMax; else τ is tau0. Unknown depths count as 0.
 */
export function reasenberg(
  table: EventTable,
  options: ReasenbergOptions,
  onProgress: OnProgress = () => {},
): Labels {
  const { length, times, magnitudes } = table;
  const depths = table.depths.map((depth) => (Number.isNaN(depth) ? 0 : depth));
  const grid = createEventGrid(table);
  const clusters = createGrowingClusters(magnitudes);
  const candidates: number[] = [];
  for (let event = 0; event < length; event += 1) {
    if (event % REPORT === 0) onProgress(event);
    const time = times[event] ?? 0;
    const to = firstAtLeast(times, time + lookAhead(event) * DAY_MS, true);
    candidates.length = 0;
    grid.near(event, MAX_KM, event + 1, to, (other) => candidates.push(other));
    candidates.sort((a, b) => a - b);
    const own = options.rfact * crackKm(magnitudes[event] ?? 0);
    for (const other of candidates) {
      if (clusters.areTogether(event, other)) continue;
      const largest = clusters.largestWith(event);
      const reach = own + crackKm(largest === null ? 0 : (magnitudes[largest] ?? 0));
      const deeper = (depths[event] ?? 0) - (depths[other] ?? 0);
      if (Math.hypot(grid.distance(event, other), deeper) <= Math.min(MAX_KM, reach)) {
        clusters.link(event, other);
      }
    }
  }
  onProgress(length);
  return labelsOf(clusters, length);

  /** Days. */
  function lookAhead(event: number): number {
    const { tau0, tauMin, tauMax, p, xk, xmeff, floor } = options;
    const largest = clusters.largestWith(event);
    if (largest === null) return tau0;
    const days = ((times[event] ?? 0) - (times[largest] ?? 0)) / DAY_MS;
    if (days <= 0) return tau0;
    const excess = (1 - xk) * (magnitudes[largest] ?? 0) - xmeff;
    const counted = floor ? Math.max(0, excess) : excess;
    const tau = (-Math.log(1 - p) * days) / 10 ** ((2 * (counted - 1)) / 3);
    return Math.min(tauMax, Math.max(tauMin, tau));
  }
}

function labelsOf(clusters: ReturnType<typeof createGrowingClusters>, length: number): Labels {
  const roles = new Uint8Array(length);
  for (let event = 0; event < length; event += 1) {
    const largest = clusters.largestWith(event);
    if (largest === null || largest === event) continue;
    roles[event] = event < largest ? ROLE.fore : ROLE.after;
  }
  return { clusters: clusters.numbers(), roles };
}

function crackKm(magnitude: number): number {
  return CRACK_KM * 10 ** (0.4 * magnitude);
}

type Cluster = { readonly members: number[]; largest: number; order: number };

/** Clusters that events are linked into one by one. Each has a largest event: the first of equal ones. */
function createGrowingClusters(magnitudes: Float64Array) {
  const of: (Cluster | null)[] = Array.from({ length: magnitudes.length }, () => null);
  let made = 0;

  function add(cluster: Cluster, event: number): void {
    cluster.members.push(event);
    of[event] = cluster;
    enlarge(cluster, event);
  }

  function enlarge(cluster: Cluster, event: number): void {
    if ((magnitudes[event] ?? 0) > (magnitudes[cluster.largest] ?? 0)) cluster.largest = event;
  }

  /** The smaller one goes into the larger one, under the lower number; that one's largest event stays. */
  function merge(a: Cluster, b: Cluster): void {
    const [lower, higher] = a.order < b.order ? [a, b] : [b, a];
    let { largest } = lower;
    if ((magnitudes[higher.largest] ?? 0) > (magnitudes[largest] ?? 0)) largest = higher.largest;
    const [large, small] = a.members.length < b.members.length ? [b, a] : [a, b];
    for (const member of small.members) {
      large.members.push(member);
      of[member] = large;
    }
    large.largest = largest;
    large.order = lower.order;
  }

  return {
    areTogether: (a: number, b: number) => of[a] != null && of[a] === of[b],
    /** The largest event of an event's cluster; null where it has none. */
    largestWith: (event: number): number | null => of[event]?.largest ?? null,
    /** Links an event with another one, which brings its whole cluster. */
    link(event: number, other: number): void {
      const [mine, theirs] = [of[event] ?? null, of[other] ?? null];
      if (mine !== null && theirs !== null) merge(mine, theirs);
      else if (mine !== null) add(mine, other);
      else if (theirs !== null) add(theirs, event);
      else {
        const cluster = { members: [event], largest: event, order: made };
        made += 1;
        of[event] = cluster;
        add(cluster, other);
      }
    },
    /** The cluster of each event, from 1 in the order of their first events; 0 for none. */
    numbers(): Int32Array {
      const byCluster = new Map<Cluster, number>();
      return Int32Array.from(of, (cluster) => {
        if (cluster === null) return 0;
        const number = byCluster.get(cluster) ?? byCluster.size + 1;
        byCluster.set(cluster, number);
        return number;
      });
    },
  };
}
