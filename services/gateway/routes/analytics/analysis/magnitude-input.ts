import type { AnalysisInput, MagnitudeBin } from "#contracts/http/analytics/analytics.ts";
import type { EventFilters } from "#contracts/query/filter-parameters.ts";
import type { MagnitudeCount } from "#projections/queries/analytics/magnitude-counts.ts";
import {
  histogramOfBins,
  type MagnitudeHistogram,
  magnitudeOf,
} from "#services/domain/statistics/magnitudes/magnitude-histogram.ts";
import { inputWithTypes } from "./input.ts";

export function inputOfCounts(
  counts: readonly MagnitudeCount[],
  filters: EventFilters,
): AnalysisInput {
  const groups = counts.map((count) => ({
    ...count,
    withMagnitude: count.value === null ? 0 : count.count,
  }));
  return inputWithTypes(groups, filters);
}

/** The counts of all types together, by bin, with the empty bins between. */
export function histogramOfCounts(
  counts: readonly MagnitudeCount[],
  binWidth: number,
): MagnitudeHistogram {
  const byBin = new Map<number, number>();
  for (const { value, count } of counts) {
    if (value !== null) byBin.set(value, (byBin.get(value) ?? 0) + count);
  }
  return histogramOfBins(byBin, binWidth);
}

export function binsOf({ binWidth, first, counts }: MagnitudeHistogram): MagnitudeBin[] {
  let cumulative = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count, i) => {
    const bin = { magnitude: magnitudeOf(first + i, binWidth), count, cumulative };
    cumulative -= count;
    return bin;
  });
}
