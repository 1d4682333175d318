import { EARTH_RADIUS_KM } from "#contracts/seismic-event/earth.ts";
import { type EventTable, YEAR_MS } from "../event-table.ts";
import { unitVectors } from "./event-grid.ts";

export type ProximityOptions = {
  /** Fractal dimension of epicentres. */
  readonly df: number;
  /** b-value of the magnitude–frequency distribution. */
  readonly b: number;
};

/** The earlier event that is nearest to an event; -1 where there is none. */
export type Nearest = { readonly parent: number; readonly logEta: number };

/** Place on a sphere of radius 1, and time (ms). */
type Point = readonly [x: number, y: number, z: number, time: number];

/** Shortest time and distance, so that events at one time or place have finite proximities. */
const MIN_MS = 1_000;
const MIN_YEARS = MIN_MS / YEAR_MS;
const MIN_KM = 0.001;
const MIN_CHORD2 = (MIN_KM / EARTH_RADIUS_KM) ** 2;
const LOG_YEAR_MS = Math.log10(YEAR_MS);
const LOG_RADIUS_KM = Math.log10(EARTH_RADIUS_KM);
const LOG10_2 = Math.log10(2);
/** More than the rounding errors of two ways to the same proximity. */
const ROUNDING = 1e-10;
const NONE = new Float64Array();
const LEAF = 12;
/** Of the box of a node: the least and the greatest of x, y, z and time, and the largest magnitude. */
const NODE = 9;
const TIME = 3;
const LARGEST = 8;

/**
 * A tree over the places and times of events that finds for each the earlier one with the least
 * η = t · r^df · 10^(−b m): t years, r km between epicentres, m the earlier magnitude (Zaliapin & Ben-Zion 2013,
 * eq. 1). Exact: a node is passed over only where none of its events can be nearer.
 */
export function createSpaceTimeTree(table: EventTable, { df, b }: ProximityOptions) {
  const { length, times, magnitudes } = table;
  const axes = [...unitVectors(table.latitudes, table.longitudes), times] as const;
  const extents = axes.map((axis) => extentOf(axis) || 1);
  const events = Int32Array.from({ length }, (_, i) => i);
  const boxes: number[] = [];
  const firsts: number[] = [];
  const ends: number[] = [];
  /** Of inner nodes; 0 for leaves, since the root is nobody's child. */
  const rights: number[] = [];
  if (length > 0) build(0, length);
  // In the tree's order, so that the events of a leaf lie side by side.
  const places = axes.map((axis) => Float64Array.from(events, (event) => axis[event] ?? 0));
  const [xs = NONE, ys = NONE, zs = NONE, ts = NONE] = places;
  const ms = Float64Array.from(events, (event) => magnitudes[event] ?? 0);

  /** Makes the node of a span of `events`, and those below it; its left child follows it. */
  function build(first: number, end: number): number {
    const node = firsts.length;
    firsts.push(first);
    ends.push(end);
    rights.push(0);
    pushBox(first, end);
    if (end - first <= LEAF) return node;
    const axis = widestAxis(node);
    const middle = (first + end) >>> 1;
    partition(events, axes[axis] ?? times, { first, end, middle });
    build(first, middle);
    rights[node] = build(middle, end);
    return node;
  }

  function pushBox(first: number, end: number): void {
    const at = boxes.length;
    for (const axis of axes) {
      let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let i = first; i < end; i += 1) {
        const value = axis[events[i] ?? 0] ?? 0;
        if (value < least) least = value;
        if (value > greatest) greatest = value;
      }
      boxes.push(least, greatest);
    }
    let largest = Number.NEGATIVE_INFINITY;
    for (let i = first; i < end; i += 1) {
      largest = Math.max(largest, magnitudes[events[i] ?? 0] ?? 0);
    }
    boxes[at + LARGEST] = largest;
  }

  /** Relative to the extent of all events. */
  function widestAxis(node: number): number {
    const widths = extents.map((extent, axis) => {
      const at = node * NODE + 2 * axis;
      return ((boxes[at + 1] ?? 0) - (boxes[at] ?? 0)) / extent;
    });
    return widths.indexOf(Math.max(...widths));
  }

  /** No event of a node that precedes an event can have less; infinite where none precedes it. */
  function bound(node: number, [x, y, z, time]: Point): number {
    const at = node * NODE;
    if ((boxes[at + 2 * TIME] ?? 0) >= time) return Number.POSITIVE_INFINITY;
    const dx = outside(x, boxes[at] ?? 0, boxes[at + 1] ?? 0);
    const dy = outside(y, boxes[at + 2] ?? 0, boxes[at + 3] ?? 0);
    const dz = outside(z, boxes[at + 4] ?? 0, boxes[at + 5] ?? 0);
    const elapsed = time - (boxes[at + 2 * TIME + 1] ?? 0);
    return atLeast(elapsed, dx * dx + dy * dy + dz * dz, boxes[at + LARGEST] ?? 0);
  }

  /** At most the log η of a time (ms), a squared chord of a sphere of radius 1, and a magnitude; without logarithms. */
  function atLeast(elapsed: number, chord2: number, magnitude: number): number {
    const time = log2AtMost(Math.max(elapsed, MIN_MS)) * LOG10_2 - LOG_YEAR_MS;
    const distance = (log2AtMost(Math.max(chord2, MIN_CHORD2)) * LOG10_2) / 2 + LOG_RADIUS_KM;
    return time + df * distance - b * magnitude - ROUNDING;
  }

  function logEta(years: number, km: number, magnitude: number): number {
    const time = Math.log10(Math.max(years, MIN_YEARS));
    return time + df * Math.log10(Math.max(km, MIN_KM)) - b * magnitude;
  }

  function between(earlier: number, event: number): number {
    const years = ((times[event] ?? 0) - (times[earlier] ?? 0)) / YEAR_MS;
    return logEta(years, distanceKm(earlier, event), magnitudes[earlier] ?? 0);
  }

  function distanceKm(a: number, c: number): number {
    let chord2 = 0;
    for (let axis = 0; axis < TIME; axis += 1) {
      const apart = (axes[axis]?.[a] ?? 0) - (axes[axis]?.[c] ?? 0);
      chord2 += apart * apart;
    }
    return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord2) / 2));
  }

  /** The nearest earlier event; of equal ones the first. */
  function nearest(event: number): Nearest {
    let parent = -1;
    let least = Number.POSITIVE_INFINITY;
    const point = axes.map((axis) => axis[event] ?? 0) as unknown as Point;
    const [x, y, z, time] = point;

    function tryEvent(other: number): void {
      const eta = between(other, event);
      if (eta < least || (eta === least && other < parent)) [parent, least] = [other, eta];
    }

    function searchLeaf(node: number): void {
      for (let i = firsts[node] ?? 0; i < (ends[node] ?? 0); i += 1) {
        const elapsed = time - (ts[i] ?? 0);
        if (elapsed <= 0) continue;
        const [dx, dy, dz] = [x - (xs[i] ?? 0), y - (ys[i] ?? 0), z - (zs[i] ?? 0)];
        const lowest = atLeast(elapsed, dx * dx + dy * dy + dz * dz, ms[i] ?? 0);
        if (lowest <= least) tryEvent(events[i] ?? 0);
      }
    }

    function search(node: number): void {
      const right = rights[node] ?? 0;
      if (right === 0) {
        searchLeaf(node);
        return;
      }
      const left = node + 1;
      const ofLeft = bound(left, point);
      const ofRight = bound(right, point);
      const [near, far] = ofLeft <= ofRight ? [left, right] : [right, left];
      if (Math.min(ofLeft, ofRight) <= least) search(near);
      const ofFar = Math.max(ofLeft, ofRight);
      if (ofFar <= least && ofFar < Number.POSITIVE_INFINITY) search(far);
    }

    // The event before is often near, so that much is passed over from the beginning.
    if (event > 0 && (times[event - 1] ?? 0) < time) tryEvent(event - 1);
    if (length > 0 && (times[0] ?? 0) < time) search(0);
    return { parent, logEta: parent === -1 ? Number.NaN : least };
  }

  return { nearest, distanceKm };
}

/** How far a value lies outside an interval. */
function outside(value: number, least: number, greatest: number): number {
  return Math.max(least - value, value - greatest, 0);
}

const number = new Float64Array(1);
const halves = new Int32Array(number.buffer);
/** Of the upper half of a double: its exponent begins at this bit, and is this much more. */
const EXPONENT = 2 ** 20;
const BIAS = 1023;

/**
 * At most the logarithm of a positive number to the base 2, less than 0.087 below it: exponent and mantissa of a
 * double taken for one number with a point between them, which is that logarithm with straight lines between the
 * powers of 2.
 */
function log2AtMost(value: number): number {
  number[0] = value;
  return (halves[1] ?? 0) / EXPONENT - BIAS;
}

function extentOf(values: Float64Array): number {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return greatest - least;
}

type Span = { readonly first: number; readonly end: number; readonly middle: number };

/** Orders a span so that values before `middle` are at most those from it on. */
function partition(events: Int32Array, axis: Float64Array, { first, end, middle }: Span): void {
  const value = (place: number) => axis[events[place] ?? 0] ?? 0;
  let [low, high] = [first, end - 1];
  while (low < high) {
    const pivot = value((low + high) >>> 1);
    let [i, j] = [low, high];
    while (i <= j) {
      while (value(i) < pivot) i += 1;
      while (value(j) > pivot) j -= 1;
      if (i > j) break;
      const kept = events[i] ?? 0;
      events[i] = events[j] ?? 0;
      events[j] = kept;
      i += 1;
      j -= 1;
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}
