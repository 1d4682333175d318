import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import { type EventTable, kilometresOf, unitVectors, YEAR_MS } from "./event-table.ts";

/** Values of each event along one axis. */
type Axis = Float64Array;

/** A binary tree over spans of a list of events, each node with the box that holds its events. */
type BoxTree = {
  /** In the tree's order: the events of a node lie side by side. */
  readonly events: Int32Array;
  /** Of each node, the span of its events. */
  readonly firsts: readonly number[];
  readonly ends: readonly number[];
  /** The right child of an inner node; the left one follows it. 0 for leaves, since the root is nobody's child. */
  readonly rights: readonly number[];
  /** Of each node, the least and the greatest value on each axis. */
  readonly boxes: readonly number[];
};

const LEAF = 12;

/** Halves the events again and again, along the axis on which they reach furthest in proportion to all. */
function buildBoxTree(axes: readonly Axis[], length: number): BoxTree {
  const events = Int32Array.from({ length }, (_, i) => i);
  const extents = axes.map((axis) => {
    const [least, greatest] = rangeOf(axis, events, 0, length);
    return greatest - least || 1;
  });
  const boxes: number[] = [];
  const firsts: number[] = [];
  const ends: number[] = [];
  const rights: number[] = [];

  function build(first: number, end: number): number {
    const node = firsts.length;
    firsts.push(first);
    ends.push(end);
    rights.push(0);
    const box = axes.map((axis) => rangeOf(axis, events, first, end));
    boxes.push(...box.flat());
    if (end - first <= LEAF) return node;
    const widths = box.map(([least, greatest], i) => (greatest - least) / (extents[i] ?? 1));
    const widest = axes[widths.indexOf(Math.max(...widths))];
    if (widest === undefined) throw new RangeError("a tree has axes");
    const middle = (first + end) >>> 1;
    partition(events, widest, { first, end, middle });
    build(first, middle);
    rights[node] = build(middle, end);
    return node;
  }

  if (length > 0) build(0, length);
  return { events, firsts, ends, rights, boxes };
}

function rangeOf(axis: Axis, events: Int32Array, first: number, end: number): [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = first; i < end; i += 1) {
    const value = axis[events[i] ?? 0] ?? 0;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

/** Orders a span so that values before `middle` are at most those from it on. */
function partition(
  events: Int32Array,
  axis: Axis,
  { first, end, middle }: Record<"first" | "end" | "middle", number>,
): void {
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

/** The earlier event that is nearest to an event; -1 where there is none. */
export type Nearest = { readonly parent: number; readonly logEta: number };

/** Of each event its place on a sphere of radius 1, and its time (ms). */
type Axes = readonly [x: Float64Array, y: Float64Array, z: Float64Array, time: Float64Array];
type Point = readonly [x: number, y: number, z: number, time: number];

const NONE = new Float64Array();
/** Values of a node's box: the least and the greatest of x, y, z and time. */
const NODE = 8;
const TIME = 6;

/**
 * A tree over the places and times of events that finds for each the earlier one with the least proximity.
 * Exact: a node is passed over only where none of its events can be nearer.
 */
export function createSpaceTimeTree(table: EventTable, options: ProximityOptions) {
  const { length, times, magnitudes } = table;
  const axes: Axes = [...unitVectors(table.latitudes, table.longitudes), times];
  const tree = buildBoxTree(axes, length);
  const eta = (earlier: number, event: number) => {
    const elapsed = (times[event] ?? 0) - (times[earlier] ?? 0);
    return logProximity(
      options,
      elapsed,
      epicentralKm(axes, earlier, event),
      magnitudes[earlier] ?? 0,
    );
  };
  const search = createSearch(tree, [axes, magnitudes], options, eta);
  return { nearest: (event: number) => search(event, length) };
}

function createSearch(
  tree: BoxTree,
  [axes, magnitudes]: readonly [Axes, Float64Array],
  options: ProximityOptions,
  eta: (earlier: number, event: number) => number,
) {
  const { events, firsts, ends, rights } = tree;
  const boundOf = createBound(tree, magnitudes, options);
  const [xs = NONE, ys = NONE, zs = NONE, ts = NONE] = axes.map((axis) => inOrder(events, axis));
  const ms = inOrder(events, magnitudes);
  const times = axes[3];

  /** The nearest earlier event; of equal ones the first. */
  return (event: number, length: number): Nearest => {
    let parent = -1;
    let least = Number.POSITIVE_INFINITY;
    const point = axes.map((axis) => axis[event] ?? 0) as unknown as Point;
    const [x, y, z, time] = point;

    const tryEvent = (other: number) => {
      const near = eta(other, event);
      if (near < least || (near === least && other < parent)) [parent, least] = [other, near];
    };

    function searchLeaf(node: number): void {
      for (let i = firsts[node] ?? 0; i < (ends[node] ?? 0); i += 1) {
        const elapsed = time - (ts[i] ?? 0);
        if (elapsed <= 0) continue;
        const chord2 = squared(x - (xs[i] ?? 0), y - (ys[i] ?? 0), z - (zs[i] ?? 0));
        const lowest = logProximityAtMost(options, elapsed, chord2, ms[i] ?? 0);
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
      const [ofLeft, ofRight] = [boundOf(left, point), boundOf(right, point)];
      const leftFirst = ofLeft <= ofRight;
      for (const isLeft of [leftFirst, !leftFirst]) {
        const bound = isLeft ? ofLeft : ofRight;
        if (bound <= least && bound < Number.POSITIVE_INFINITY) search(isLeft ? left : right);
      }
    }

    // The event before is often near, so that much is passed over from the beginning.
    if (event > 0 && (times[event - 1] ?? 0) < time) tryEvent(event - 1);
    if (length > 0 && (times[0] ?? 0) < time) search(0);
    return { parent, logEta: parent === -1 ? Number.NaN : least };
  };
}

/** No event of a node that precedes a point can have less than its bound; infinite where none precedes it. */
function createBound(
  { events, firsts, ends, boxes }: BoxTree,
  magnitudes: Float64Array,
  options: ProximityOptions,
): (node: number, point: Point) => number {
  const largest = firsts.map((first, node) => {
    let most = Number.NEGATIVE_INFINITY;
    for (let i = first; i < (ends[node] ?? 0); i += 1) {
      most = Math.max(most, magnitudes[events[i] ?? 0] ?? 0);
    }
    return most;
  });
  return (node, [x, y, z, time]) => {
    const at = node * NODE;
    if ((boxes[at + TIME] ?? 0) >= time) return Number.POSITIVE_INFINITY;
    const chord2 = squared(
      outside(x, boxes[at] ?? 0, boxes[at + 1] ?? 0),
      outside(y, boxes[at + 2] ?? 0, boxes[at + 3] ?? 0),
      outside(z, boxes[at + 4] ?? 0, boxes[at + 5] ?? 0),
    );
    const elapsed = time - (boxes[at + TIME + 1] ?? 0);
    return logProximityAtMost(options, elapsed, chord2, largest[node] ?? 0);
  };
}

function inOrder(events: Int32Array, axis: Float64Array): Float64Array {
  return Float64Array.from(events, (event) => axis[event] ?? 0);
}

function squared(dx: number, dy: number, dz: number): number {
  return dx * dx + dy * dy + dz * dz;
}

/** How far a value lies outside an interval. */
function outside(value: number, least: number, greatest: number): number {
  return Math.max(least - value, value - greatest, 0);
}

function epicentralKm([xs, ys, zs]: Axes, a: number, c: number): number {
  const apart = (axis: Axis) => (axis[a] ?? 0) - (axis[c] ?? 0);
  return kilometresOf(squared(apart(xs), apart(ys), apart(zs)));
}

export type ProximityOptions = {
  /** Fractal dimension of epicentres. */
  readonly df: number;
  /** b-value of the magnitude–frequency distribution. */
  readonly b: number;
};

/** Shortest time and distance, so that events at one time or place have finite proximities. */
const MIN_MS = 1_000;
export const MIN_YEARS = MIN_MS / YEAR_MS;
export const MIN_KM = 0.001;
const MIN_CHORD2 = (MIN_KM / EARTH_RADIUS_KM) ** 2;
const LOG_YEAR_MS = Math.log10(YEAR_MS);
const LOG_RADIUS_KM = Math.log10(EARTH_RADIUS_KM);
const LOG10_2 = Math.log10(2);
/** More than the rounding errors of two ways to the same proximity. */
const ROUNDING = 1e-10;

/**
 * log10 η = t · r^df · 10^(−b m) of an event and an earlier one: t years, r km between epicentres, m the
 * earlier magnitude (Zaliapin & Ben-Zion 2013, eq. 1).
 */
function logProximity(
  { df, b }: ProximityOptions,
  elapsedMs: number,
  km: number,
  magnitude: number,
): number {
  const time = Math.log10(Math.max(elapsedMs / YEAR_MS, MIN_YEARS));
  return time + df * Math.log10(Math.max(km, MIN_KM)) - b * magnitude;
}

/** At most that, for a squared chord of a sphere of radius 1; without logarithms. */
function logProximityAtMost(
  { df, b }: ProximityOptions,
  elapsedMs: number,
  chord2: number,
  magnitude: number,
): number {
  const time = log2AtMost(Math.max(elapsedMs, MIN_MS)) * LOG10_2 - LOG_YEAR_MS;
  const distance = (log2AtMost(Math.max(chord2, MIN_CHORD2)) * LOG10_2) / 2 + LOG_RADIUS_KM;
  return time + df * distance - b * magnitude - ROUNDING;
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
