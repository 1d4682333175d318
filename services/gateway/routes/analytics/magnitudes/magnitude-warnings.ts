import type { AnalysisWarning } from "#contracts/http/analytics/analytics.ts";
import type { MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { MagnitudeCount } from "#projections/read/analytics/magnitudes.ts";
import { isCut } from "#services/domain/analytics/magnitudes/completeness.ts";
import { typeFamily } from "#services/domain/events/magnitudes.ts";

/** What has to be known of every fit to these magnitudes. */
export function magnitudeWarnings(
  counts: readonly MagnitudeCount[],
  histogram: MagnitudeHistogram,
): AnalysisWarning[] {
  const warnings: AnalysisWarning[] = [];
  const types = [...familiesOf(counts).keys()].map((family) => family ?? "no type");
  if (types.length > 1) {
    const message = `the magnitudes are of ${types.length} types, which need not agree: ${types.join(", ")}`;
    warnings.push({ code: "MIXED_MAGNITUDE_TYPES", message });
  }
  if (isCut(histogram)) {
    const message =
      "the most frequent magnitude is nearly the lowest: the catalogue seems to be cut off below";
    warnings.push({ code: "CATALOGUE_CUT", message });
  }
  return warnings;
}

const SMALL = 50;

export function smallSampleWarning(n: number): AnalysisWarning[] {
  if (n >= SMALL) return [];
  const error = Math.round(100 / Math.sqrt(n));
  const message = `${n} events are few: the error of b is about ${error} percent`;
  return [{ code: "SMALL_SAMPLE", message }];
}

/** The counts of events with a magnitude by family of their type, the most frequent first. */
export function familiesOf(
  counts: readonly MagnitudeCount[],
): ReadonlyMap<string | null, readonly MagnitudeCount[]> {
  const families = Map.groupBy(
    counts.filter(({ value }) => value !== null),
    ({ type }) => typeFamily(type),
  );
  const size = (of: readonly MagnitudeCount[]) => of.reduce((sum, { count }) => sum + count, 0);
  return new Map([...families].toSorted(([, a], [, b]) => size(b) - size(a)));
}

/** An upper bound of the magnitudes would make b too large, so fits are made without it. */
export function withoutUpperBound({ maxMagnitude: _, ...filters }: EventFilters): EventFilters {
  return filters;
}

/** What an answer says of an upper bound that was given: among its parameters, and as a warning. */
export function ignoredUpperBound({ maxMagnitude }: EventFilters): {
  readonly parameters: { readonly ignored?: readonly string[] };
  readonly warnings: readonly AnalysisWarning[];
} {
  if (maxMagnitude === undefined) return { parameters: {}, warnings: [] };
  const message =
    "maxMagnitude is not applied: a fit to magnitudes cut off above gives too large a b";
  return {
    parameters: { ignored: ["maxMagnitude"] },
    warnings: [{ code: "MAX_MAGNITUDE_IGNORED", message }],
  };
}
