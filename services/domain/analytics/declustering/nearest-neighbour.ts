import { quantileOf } from "../numbers/distributions.ts";
import { binsOf, compensatedSum } from "../numbers/numerics.ts";
import {
  countClusters,
  createEventGrid,
  type EventTable,
  type Labels,
  largestCluster,
  numberClusters,
  type OnProgress,
  ROLE,
  YEAR_MS,
} from "./event-table.ts";
import {
  createSpaceTimeTree,
  MIN_KM,
  MIN_YEARS,
  type ProximityOptions,
} from "./space-time-tree.ts";

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
export type Proximities = { readonly parents: Int32Array; readonly logEtas: Float64Array };

/** Threshold of California (Zaliapin & Ben-Zion 2013), where the distribution has not two parts. */
export const USUAL_THRESHOLD = -5;
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

export type Threshold = {
  readonly threshold: number;
  /** The two parts of the distribution; null where it cannot be fitted. */
  readonly mixture: TwoGaussians | null;
  readonly ashmanD: number | null;
  readonly isBimodal: boolean;
};

/** The threshold between clustered and background events: where two fitted normal distributions cross. */
export function thresholdOf(logEtas: Float64Array): Threshold {
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
