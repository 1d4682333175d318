import type { EventTable } from "../event-table.ts";
import { type Labels, numberClusters, type OnProgress, ROLE } from "./labels.ts";
import type { ProximityOptions } from "./proximity.ts";
import { createSpaceTimeTree } from "./space-time-tree.ts";
import { ashmanD, crossing, fitTwoGaussians, type TwoGaussians } from "./two-gaussians.ts";

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
