import type {
  DeclusterEstimate,
  DeclusterMethod,
  WindowName,
} from "#contracts/analytics/declustering.ts";
import { DAY_MS } from "#contracts/units.ts";
import { type Estimate, firstAtLeast, noEstimate, type Warning } from "../numbers/numerics.ts";
import {
  countClusters,
  countRole,
  createEventGrid,
  type EventTable,
  type Labels,
  largestCluster,
  numberClusters,
  type OnProgress,
  ROLE,
} from "./event-table.ts";
import { proximityFamilies } from "./nearest-neighbour.ts";

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

/** The parameters of Reasenberg (1985), with his names. */
type ReasenbergOptions = {
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

type GardnerKnopoffOptions = {
  readonly window: Window;
  /** The share of the duration that foreshocks may precede by, 0 to 1. */
  readonly foreshockFraction: number;
};

/** Events between two reports of progress. */
const REPORT_EVENTS = 10_000;

/**
 * Declusters by windows of space and time (Gardner & Knopoff 1974), headed by their largest events: by
 * magnitude downwards, then by time and id, each event without a cluster becomes the main event of those
 * without one within the window's distance (epicentral), until its duration after it, and for a fraction of
 * that before it.
 */
export function gardnerKnopoff(
  table: EventTable,
  { window, foreshockFraction }: GardnerKnopoffOptions,
  onProgress: OnProgress = () => {},
): Labels {
  const { length, times, magnitudes } = table;
  const grid = createEventGrid(table);
  const heads = new Int32Array(length).fill(-1);
  const roles = new Uint8Array(length);
  // The events from the largest on; of equal ones the first.
  const order = Int32Array.from(magnitudes, (_, i) => i);
  order.sort((a, b) => (magnitudes[b] ?? 0) - (magnitudes[a] ?? 0) || a - b);
  for (const [done, head] of order.entries()) {
    if (done % REPORT_EVENTS === 0) onProgress(done);
    if (heads[head] !== -1) continue;
    heads[head] = head;
    const magnitude = magnitudes[head] ?? 0;
    const span = window.days(magnitude) * DAY_MS;
    const time = times[head] ?? 0;
    const from = firstAtLeast(times, time - foreshockFraction * span);
    const to = firstAtLeast(times, time + span, true);
    grid.near(head, window.km(magnitude), from, to, (event) => {
      if (heads[event] !== -1) return;
      heads[event] = head;
      roles[event] = event < head ? ROLE.fore : ROLE.after;
    });
  }
  onProgress(length);
  return { clusters: numberClusters(heads), roles };
}

const FORE = 1;
const AFTER = 2;

/**
 * Declusters by windows of space and time that every event opens, in a cluster or not, as the hazard models of
 * the United States do (Gardner & Knopoff 1974; Petersen et al. 2008): an event is an aftershock in the window
 * after an event that is at least as large, and a foreshock where its own window has a larger event that is no
 * aftershock. Events below magnitude 2.5 open none. An event that is both is labelled as aftershock.
 */
export function linkedWindows(
  table: EventTable,
  window: Window,
  onProgress: OnProgress = () => {},
) {
  const { length, times, magnitudes } = table;
  const grid = createEventGrid(table);
  const kinds = new Uint8Array(length);
  const roots = Int32Array.from({ length }, (_, i) => i);

  function eachInWindow(event: number, take: (later: number, isLarger: boolean) => void): void {
    const magnitude = magnitudes[event] ?? 0;
    if (magnitude < TABLE_FIRST) return;
    const end = (times[event] ?? 0) + window.days(magnitude) * DAY_MS;
    const to = firstAtLeast(times, end, true);
    grid.near(event, window.km(magnitude), event + 1, to, (later) =>
      take(later, (magnitudes[later] ?? 0) > magnitude),
    );
  }

  for (let event = 0; event < length; event += 1) {
    if (event % REPORT_EVENTS === 0) onProgress(event / 2);
    eachInWindow(event, (later, isLarger) => {
      if (isLarger) return;
      kinds[later] = AFTER;
      join(roots, event, later);
    });
  }
  for (let event = 0; event < length; event += 1) {
    if (event % REPORT_EVENTS === 0) onProgress((length + event) / 2);
    eachInWindow(event, (later, isLarger) => {
      if (!isLarger || (kinds[later] ?? 0) & AFTER) return;
      kinds[event] = (kinds[event] ?? 0) | FORE;
      join(roots, event, later);
    });
  }
  onProgress(length);
  let both = 0;
  const roles = kinds.map((kind) => {
    if (kind === (FORE | AFTER)) both += 1;
    if (kind & AFTER) return ROLE.after;
    return kind & FORE ? ROLE.fore : ROLE.main;
  });
  return { clusters: numberClusters(roots.map((_, event) => rootOf(roots, event))), roles, both };
}

function join(roots: Int32Array, a: number, b: number): void {
  const [one, other] = [rootOf(roots, a), rootOf(roots, b)];
  roots[Math.max(one, other)] = Math.min(one, other);
}

/** The smallest event of a cluster that is known so far; paths are halved on the way. */
function rootOf(roots: Int32Array, event: number): number {
  let at = event;
  for (;;) {
    const above = roots[at] ?? at;
    if (above === at) return at;
    const next = roots[above] ?? above;
    roots[at] = next;
    at = next;
  }
}

/**
 * Space–time windows of Gardner & Knopoff (1974) and later ones: how far (km) and how long (days) the
 * aftershocks of an event of a magnitude reach.
 */
type Window = {
  readonly km: (magnitude: number) => number;
  readonly days: (magnitude: number) => number;
};

/** The first magnitude of the table, and its step. */
const TABLE_FIRST = 2.5;
const TABLE_STEP = 0.5;
/** Gardner & Knopoff 1974, table 1, from magnitude 2.5 to 8. */
const TABLE_KM = [19.5, 22.5, 26, 30, 35, 40, 47, 54, 61, 70, 81, 94];
const TABLE_DAYS = [6, 11.5, 22, 42, 83, 155, 290, 510, 790, 915, 960, 985];

/** From this magnitude on durations grow slowly. */
const LARGE = 6.5;

export const WINDOWS: Readonly<Record<WindowName, Window>> = {
  /** Fits of the table, as van Stiphout, Zhuang & Marsan (2012), table 1, have them. */
  "gk-fit": {
    km: (m) => 10 ** (0.1238 * m + 0.983),
    days: (m) => 10 ** (m < LARGE ? 0.5409 * m - 0.547 : 0.032 * m + 2.7389),
  },
  "gk-table": { km: (m) => fromTable(TABLE_KM, m), days: (m) => fromTable(TABLE_DAYS, m) },
  /** Uhrhammer 1986, as van Stiphout, Zhuang & Marsan (2012), table 1. */
  uhrhammer: {
    km: (m) => Math.exp(-1.024 + 0.804 * m),
    days: (m) => Math.exp(-2.87 + 1.235 * m),
  },
  /** Grünthal, as van Stiphout, Zhuang & Marsan (2012), table 1; constant below magnitude 0. */
  gruenthal: {
    km: (m) => Math.exp(1.77 + Math.sqrt(0.037 + 1.02 * Math.max(0, m))),
    days: (m) =>
      m < LARGE
        ? Math.exp(-3.95 + Math.sqrt(0.62 + 17.32 * Math.max(0, m)))
        : 10 ** (2.8 + 0.024 * m),
  },
};

/** Linear between the rows, constant beyond them. */
function fromTable(values: readonly number[], magnitude: number): number {
  const last = values.length - 1;
  const place = Math.max(0, Math.min(last, (magnitude - TABLE_FIRST) / TABLE_STEP));
  const row = Math.min(Math.floor(place), last - 1);
  const [low = 0, high = 0] = values.slice(row, row + 2);
  return low + (high - low) * (place - row);
}
