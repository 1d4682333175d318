/**
 * The events of a catalogue as declustering takes them, their labels, and a grid of their
 * places.
 */

import type { ClusterRole } from "#contracts/analytics/declustering.ts";
import { DAY_MS, EARTH_RADIUS_KM } from "#contracts/units.ts";

/** Events by column, in order of time, then id. All have a magnitude. */
export type EventTable = {
  readonly length: number;
  /** Milliseconds since 1970, with fractions. */
  readonly times: Float64Array;
  /** Degrees. */
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
  /** Kilometres; NaN where unknown. */
  readonly depths: Float64Array;
  readonly magnitudes: Float64Array;
};

/** Of 365.25 days. */
export const YEAR_MS = 365.25 * DAY_MS;

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
  const sizes = new Int32Array(countClusters(clusters) + 1);
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

const RADIANS_PER_DEGREE = Math.PI / 180;
/** Height of a cell, degrees. */
const HEIGHT = 0.2;
const BANDS = Math.round(180 / HEIGHT);
/** Far above rounding errors, far below a cell; the exact test follows. */
const SLACK = 1e-9;

/**
 * Events by place: which are within a distance of an event, of those in a span of the table.
 * Cells of 0.2° in bands of latitude, cut into columns about as wide, which wrap at ±180°.
 */
export function createEventGrid({ length, latitudes, longitudes }: EventTable) {
  const [x, y, z] = unitVectors(latitudes, longitudes);
  const firstOfBand = firstCells();
  const cellOf = (event: number): number => {
    const band = bandOf(latitudes[event] ?? 0);
    const columns = columnsOf(band);
    const column = Math.floor((((longitudes[event] ?? 0) + 180) / 360) * columns);
    return (firstOfBand[band] ?? 0) + Math.max(0, Math.min(columns - 1, column));
  };
  const { starts, members } = byCell(length, firstOfBand[BANDS] ?? 0, cellOf);

  /** The square of the chord between two events, of a sphere of radius 1. */
  function chord2(a: number, b: number): number {
    const dx = (x[a] ?? 0) - (x[b] ?? 0);
    const dy = (y[a] ?? 0) - (y[b] ?? 0);
    const dz = (z[a] ?? 0) - (z[b] ?? 0);
    return dx * dx + dy * dy + dz * dz;
  }

  return {
    // Calls `take` for the events `from` to `to` (excluded) within `km` of an event, cell by cell and by time,
    // except for the event itself.
    near(event: number, km: number, from: number, to: number, take: (other: number) => void): void {
      const limit = 4 * Math.sin(Math.min(km / EARTH_RADIUS_KM, Math.PI) / 2) ** 2;
      const reach = km / EARTH_RADIUS_KM / RADIANS_PER_DEGREE + SLACK;
      const latitude = latitudes[event] ?? 0;
      const longitude = longitudes[event] ?? 0;
      const half = halfWidth(latitude, reach);
      for (let band = bandOf(latitude - reach); band <= bandOf(latitude + reach); band += 1) {
        const columns = columnsOf(band);
        const west = Math.floor(((longitude - half + 180) / 360) * columns);
        const east = Math.floor(((longitude + half + 180) / 360) * columns);
        const last = Math.min(east, west + columns - 1);
        for (let column = west; column <= last; column += 1) {
          const cell = (firstOfBand[band] ?? 0) + ((column + columns) % columns);
          const end = starts[cell + 1] ?? 0;
          for (let at = firstFrom(members, from, starts[cell] ?? 0, end); at < end; at += 1) {
            const other = members[at] ?? 0;
            if (other >= to) break;
            if (other !== event && chord2(event, other) <= limit) take(other);
          }
        }
      }
    },
    /** Kilometres along the great circle. */
    distance: (a: number, b: number) => kilometresOf(chord2(a, b)),
  };
}

/** Kilometres along the great circle, by the squared chord of a sphere of radius 1. */
export function kilometresOf(chord2: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord2) / 2));
}

/** Places as points of a sphere of radius 1. */
export function unitVectors(
  latitudes: Float64Array,
  longitudes: Float64Array,
): readonly [Float64Array, Float64Array, Float64Array] {
  const cosines = latitudes.map((latitude) => Math.cos(latitude * RADIANS_PER_DEGREE));
  return [
    longitudes.map((longitude, i) => (cosines[i] ?? 0) * Math.cos(longitude * RADIANS_PER_DEGREE)),
    longitudes.map((longitude, i) => (cosines[i] ?? 0) * Math.sin(longitude * RADIANS_PER_DEGREE)),
    latitudes.map((latitude) => Math.sin(latitude * RADIANS_PER_DEGREE)),
  ];
}

/** The members of all cells, one cell after the other, in order of time in each. */
function byCell(length: number, cells: number, cellOf: (event: number) => number) {
  const starts = new Int32Array(cells + 1);
  for (let event = 0; event < length; event += 1) {
    const cell = cellOf(event) + 1;
    starts[cell] = (starts[cell] ?? 0) + 1;
  }
  for (let cell = 0; cell < cells; cell += 1) {
    starts[cell + 1] = (starts[cell + 1] ?? 0) + (starts[cell] ?? 0);
  }
  const next = starts.slice();
  const members = new Int32Array(length);
  for (let event = 0; event < length; event += 1) {
    const cell = cellOf(event);
    const at = next[cell] ?? 0;
    members[at] = event;
    next[cell] = at + 1;
  }
  return { starts, members };
}

/** The number of the first cell of each band, and of all cells. */
function firstCells(): Int32Array {
  const firstOfBand = new Int32Array(BANDS + 1);
  for (let band = 0; band < BANDS; band += 1) {
    firstOfBand[band + 1] = (firstOfBand[band] ?? 0) + columnsOf(band);
  }
  return firstOfBand;
}

function bandOf(latitude: number): number {
  return Math.max(0, Math.min(BANDS - 1, Math.floor((latitude + 90) / HEIGHT)));
}

/** By the band's middle parallel. */
function columnsOf(band: number): number {
  const middle = (band + 0.5) * HEIGHT - 90;
  return Math.max(1, Math.floor((360 * Math.cos(middle * RADIANS_PER_DEGREE)) / HEIGHT));
}

/** Half the extent in longitude, degrees, of a circle; 180 where it contains a pole. */
function halfWidth(latitude: number, reach: number): number {
  if (Math.abs(latitude) + reach >= 90) return 180;
  const sine = Math.sin(reach * RADIANS_PER_DEGREE) / Math.cos(latitude * RADIANS_PER_DEGREE);
  return Math.asin(Math.min(1, sine)) / RADIANS_PER_DEGREE + SLACK;
}

/** The first place from `low` on whose ascending value is at least `value`; `high` where there is none. */
function firstFrom(ascending: Int32Array, value: number, low: number, high: number): number {
  let [first, end] = [low, high];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if ((ascending[middle] ?? 0) < value) first = middle + 1;
    else end = middle;
  }
  return first;
}
