import type { WindowName } from "#contracts/analytics/declustering.ts";
import { DAY_MS } from "#contracts/units.ts";
import { firstAtLeast } from "../numbers/numerics.ts";
import {
  createEventGrid,
  type EventTable,
  type Labels,
  numberClusters,
  type OnProgress,
  ROLE,
} from "./event-table.ts";

export type GardnerKnopoffOptions = {
  readonly window: Window;
  /** The share of the duration that foreshocks may precede by, 0 to 1. */
  readonly foreshockFraction: number;
};

/** Events between two reports of progress. */
const REPORT = 10_000;

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
    if (done % REPORT === 0) onProgress(done);
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

/** Labels, and how many events are foreshocks of one event and aftershocks of another. */
export type LinkedLabels = Labels & { readonly both: number };
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
): LinkedLabels {
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
    if (event % REPORT === 0) onProgress(event / 2);
    eachInWindow(event, (later, isLarger) => {
      if (isLarger) return;
      kinds[later] = AFTER;
      join(roots, event, later);
    });
  }
  for (let event = 0; event < length; event += 1) {
    if (event % REPORT === 0) onProgress((length + event) / 2);
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
