import type { EventTable } from "../event-table.ts";
import { compensatedSum } from "../numbers/compensated-sum.ts";
import { quantileOf } from "../numbers/quantile.ts";
import { countClusters, largestCluster, type OnProgress } from "./labels.ts";
import { families, proximities, thresholdOf } from "./nearest-neighbour.ts";
import type { ProximityOptions } from "./proximity.ts";

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
