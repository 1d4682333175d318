import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import { quantileOf } from "../numbers/distributions.ts";
import { binsOf, compensatedSum } from "../numbers/numerics.ts";
import {
  countClusters,
  createEventGrid,
  type EventTable,
  kilometresOf,
  type Labels,
  largestCluster,
  numberClusters,
  type OnProgress,
  ROLE,
  unitVectors,
  YEAR_MS,
} from "./event-table.ts";

/** With the threshold of the families, log₁₀ η; null for that of the distribution. */
export type FamilyOptions = ProximityOptions & { readonly threshold: number | null };

/** The families of a catalogue, and the distribution of its proximities; `known` are log η, ascending. */
export function proximityFamilies(
  table: EventTable,
  options: FamilyOptions,
  onProgress: OnProgress,
) {
  const { parents, logEtas } = proximities(table, options, onProgress);
  const { threshold: fitted, mixture, ashmanD, isBimodal } = thresholdOf(logEtas);
  const threshold = options.threshold ?? fitted;
  const { background, ...labels } = families({ parents, logEtas }, table.magnitudes, threshold);
  const known = logEtas.filter((value) => !Number.isNaN(value)).sort();
  const isEmpty = known.length === 0;
  const estimate = {
    logEtaMedian: isEmpty ? null : quantileOf(known, 0.5),
    logEtaMean: isEmpty ? null : compensatedSum(known) / known.length,
    weight: mixture?.weight ?? null,
    means: mixture && ([...mixture.means] as [number, number]),
    sigmas: mixture && ([...mixture.sigmas] as [number, number]),
    threshold,
    ashmanD,
    background,
    families: countClusters(labels.clusters),
    largest: largestCluster(labels.clusters),
  };
  return { labels, estimate, known, parents, fitted, isBimodal };
}

/** Width of bins and cells, decades. */
const WIDTH = 0.2;

/**
 * How the proximities of a catalogue are distributed: log η in bins, and its parts log T and log R in cells, with
 * T = t · 10^(−b m / 2) years and R = r^df · 10^(−b m / 2) km^df (Zaliapin & Ben-Zion 2013, eq. 2).
 */
export function proximityDistribution(
  table: EventTable,
  options: FamilyOptions,
  onProgress: OnProgress,
) {
  const { known, estimate, parents, isBimodal } = proximityFamilies(table, options, onProgress);
  const counts = new Map<number, number>();
  for (const value of known) count(counts, Math.floor(value / WIDTH));
  return {
    isBimodal,
    estimate: { n: known.length, ...estimate },
    bins: binsOf(counts, WIDTH, DIGITS),
    series: cellsOf(table, options, parents),
  };
}

/** Cells with events, by log T, then log R. */
function cellsOf(table: EventTable, { df, b }: ProximityOptions, parents: Int32Array) {
  const { times, magnitudes } = table;
  const { distance } = createEventGrid(table);
  const columns = new Map<number, Map<number, number>>();
  for (const [event, parent] of parents.entries()) {
    if (parent === -1) continue;
    const years = Math.max(MIN_YEARS, ((times[event] ?? 0) - (times[parent] ?? 0)) / YEAR_MS);
    const km = Math.max(MIN_KM, distance(parent, event));
    const half = (b * (magnitudes[parent] ?? 0)) / 2;
    const column = Math.floor((Math.log10(years) - half) / WIDTH);
    const counts = columns.get(column) ?? new Map<number, number>();
    count(counts, Math.floor((df * Math.log10(km) - half) / WIDTH));
    columns.set(column, counts);
  }
  return [...columns].toSorted(byKey).flatMap(([column, counts]) =>
    [...counts].toSorted(byKey).map(([row, n]) => ({
      logT: edge(column),
      logR: edge(row),
      width: WIDTH,
      count: n,
    })),
  );
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function byKey(a: readonly [number, unknown], b: readonly [number, unknown]): number {
  return a[0] - b[0];
}

const DIGITS = 10;

/** Without the error of binary fractions. */
function edge(bin: number): number {
  return Number((bin * WIDTH).toFixed(DIGITS));
}

/** Of each event the nearest earlier one, -1 for none, and the logarithm of their proximity, NaN for none. */
type Proximities = { readonly parents: Int32Array; readonly logEtas: Float64Array };

/** Threshold of California (Zaliapin & Ben-Zion 2013), where the distribution has not two parts. */
const USUAL_THRESHOLD = -5;
/** Below it the two parts cannot be told apart. */
const BIMODAL = 2;
const REPORT = 1_000;

/** @see createSpaceTimeTree for the proximity */
export function proximities(
  table: EventTable,
  options: ProximityOptions,
  onProgress: OnProgress = () => {},
): Proximities {
  const { length } = table;
  const { nearest } = createSpaceTimeTree(table, options);
  const parents = new Int32Array(length);
  const logEtas = new Float64Array(length);
  for (let event = 0; event < length; event += 1) {
    if (event % REPORT === 0) onProgress(event);
    const { parent, logEta } = nearest(event);
    parents[event] = parent;
    logEtas[event] = logEta;
  }
  onProgress(length);
  return { parents, logEtas };
}

/**
 * The threshold between clustered and background events: where two fitted normal distributions cross. `mixture` is
 * null where they cannot be fitted.
 */
export function thresholdOf(logEtas: Float64Array) {
  const mixture = fitTwoGaussians(logEtas.filter((value) => !Number.isNaN(value)));
  const distance = mixture && ashmanD(mixture);
  const isBimodal = distance !== null && distance >= BIMODAL;
  const crossed = mixture && isBimodal ? crossing(mixture) : null;
  return { threshold: crossed ?? USUAL_THRESHOLD, mixture, ashmanD: distance, isBimodal };
}

/**
 * Families: events are linked with their nearest earlier one where log η is at most the threshold. The main event
 * is the largest, of equal ones the first.
 */
export function families(
  { parents, logEtas }: Proximities,
  magnitudes: Float64Array,
  threshold: number,
): Labels & { readonly background: number } {
  let background = 0;
  const roots = new Int32Array(parents.length);
  const main = new Int32Array(parents.length).fill(-1);
  for (let event = 0; event < parents.length; event += 1) {
    const isLinked = (logEtas[event] ?? Number.NaN) <= threshold;
    if (!isLinked) background += 1;
    const root = isLinked ? (roots[parents[event] ?? 0] ?? 0) : event;
    roots[event] = root;
    const largest = main[root] ?? -1;
    if (largest === -1 || (magnitudes[event] ?? 0) > (magnitudes[largest] ?? 0)) main[root] = event;
  }
  const roles = Uint8Array.from(roots, (root, event) => {
    const largest = main[root] ?? -1;
    if (event === largest) return ROLE.main;
    return event < largest ? ROLE.fore : ROLE.after;
  });
  return { clusters: numberClusters(roots), roles, background };
}

/** A mixture of two normal distributions, the lower mean first. */
type TwoGaussians = {
  /** The share of the first. */
  readonly weight: number;
  readonly means: readonly [number, number];
  readonly sigmas: readonly [number, number];
};

type Component = { weight: number; mean: number; variance: number };

/** Change of the mean log-likelihood at which the fit has converged. */
const CONVERGED = 1e-12;
const MAX_ROUNDS = 10_000;
/** So that values that are all equal make no infinite density. */
const MIN_VARIANCE = 1e-6;

/**
 * Fits two normal distributions by expectation and maximisation (Dempster, Laird & Rubin 1977), from the two
 * means that start at the least and the greatest value. Null for fewer than four values or equal ones.
 */
function fitTwoGaussians(values: Float64Array): TwoGaussians | null {
  const start = twoMeans(values);
  if (start === null) return null;
  let components = start;
  let before = Number.NEGATIVE_INFINITY;
  const shares = new Float64Array(values.length);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const likelihood = expect(values, components, shares);
    if (Math.abs(likelihood - before) < CONVERGED) break;
    before = likelihood;
    components = maximise(values, shares);
  }
  const [low, high] = components;
  return {
    weight: low.weight,
    means: [low.mean, high.mean],
    sigmas: [Math.sqrt(low.variance), Math.sqrt(high.variance)],
  };
}

/** Where the weighted densities cross between the means; null where they do not. */
function crossing({ weight, means, sigmas }: TwoGaussians): number | null {
  const [m1, m2] = means;
  const [v1, v2] = [sigmas[0] ** 2, sigmas[1] ** 2];
  // The logarithms of the densities differ by a x² + b x + c.
  const a = 1 / (2 * v2) - 1 / (2 * v1);
  const b = m1 / v1 - m2 / v2;
  const c =
    m2 ** 2 / (2 * v2) -
    m1 ** 2 / (2 * v1) +
    Math.log((weight * sigmas[1]) / ((1 - weight) * sigmas[0]));
  const q = -(b + Math.sign(b || 1) * Math.sqrt(b * b - 4 * a * c)) / 2;
  const roots = a === 0 ? [-c / b] : [q / a, c / q];
  return roots.find((root) => root > m1 && root < m2) ?? null;
}

/** How far two components are apart: above 2 they are two (Ashman, Bird & Zepf 1994, eq. 5). */
function ashmanD({ means, sigmas }: TwoGaussians): number {
  return (Math.SQRT2 * Math.abs(means[0] - means[1])) / Math.hypot(...sigmas);
}

function twoMeans(values: Float64Array): [Component, Component] | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (values.length < 4 || low === high) return null;
  for (;;) {
    const middle = (low + high) / 2;
    const isHigh = Float64Array.from(values, (value) => (value > middle ? 0 : 1));
    const [first, second] = maximise(values, isHigh);
    if (first.mean === low && second.mean === high) return [first, second];
    [low, high] = [first.mean, second.mean];
  }
}

/** Writes the share of the first component in each value. @returns the mean log-likelihood */
function expect(
  values: Float64Array,
  [first, second]: readonly [Component, Component],
  shares: Float64Array,
): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    const one = logDensity(first, value);
    const other = logDensity(second, value);
    const greater = Math.max(one, other);
    const log = greater + Math.log(Math.exp(one - greater) + Math.exp(other - greater));
    shares[i] = Math.exp(one - log);
    sum += log;
  }
  return sum / values.length;
}

function logDensity({ weight, mean, variance }: Component, value: number): number {
  return Math.log(weight) - (Math.log(2 * Math.PI * variance) + (value - mean) ** 2 / variance) / 2;
}

function maximise(values: Float64Array, shares: Float64Array): [Component, Component] {
  const component = (shareOf: (i: number) => number): Component => {
    let [total, sum, squares] = [0, 0, 0];
    for (let i = 0; i < values.length; i += 1) {
      total += shareOf(i);
      sum += shareOf(i) * (values[i] ?? 0);
    }
    const mean = sum / total;
    for (let i = 0; i < values.length; i += 1)
      squares += shareOf(i) * ((values[i] ?? 0) - mean) ** 2;
    return {
      weight: total / values.length,
      mean,
      variance: Math.max(squares / total, MIN_VARIANCE),
    };
  };
  return [component((i) => shares[i] ?? 0), component((i) => 1 - (shares[i] ?? 0))];
}

/** Values of each event along one axis. */
type Axis = Float64Array;

const LEAF = 12;

/** A binary tree over spans of a list of events, each node with the box that holds its events. */
type BoxTree = ReturnType<typeof buildBoxTree>;

/** Halves the events again and again, along the axis on which they reach furthest in proportion to all. */
function buildBoxTree(axes: readonly Axis[], length: number) {
  /** In the tree's order: the events of a node lie side by side. */
  const events = Int32Array.from({ length }, (_, i) => i);
  const extents = axes.map((axis) => {
    const [least, greatest] = rangeOf(axis, events, 0, length);
    return greatest - least || 1;
  });
  /** Of each node, the least and the greatest value on each axis. */
  const boxes: number[] = [];
  /** Of each node, the span of its events. */
  const firsts: number[] = [];
  const ends: number[] = [];
  /** The right child of an inner node; the left one follows it. 0 for leaves, since the root is nobody's child. */
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
type Nearest = { readonly parent: number; readonly logEta: number };

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
function createSpaceTimeTree(table: EventTable, options: ProximityOptions) {
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

type ProximityOptions = {
  /** Fractal dimension of epicentres. */
  readonly df: number;
  /** b-value of the magnitude–frequency distribution. */
  readonly b: number;
};

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
