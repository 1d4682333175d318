import type { Pool } from "pg";
import type { AnalysisInput } from "#contracts/http/analytics/analytics.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
import { classCounts } from "#projections/queries/analytics/class-counts.ts";
import type { AnalysisSelection } from "#projections/queries/analytics/selection.ts";
import {
  STEPP_CLASSES,
  steppClasses,
  steppSteps,
} from "#services/domain/statistics/quality/stepp-classes.ts";

const YEAR_SECONDS = 365.25 * 86_400;

/** Stepp's test of the events of an analysis, back from endTime or the last of them. */
export async function steppOf(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  input: AnalysisInput,
) {
  const end = selection.filters.endTime ?? input.end;
  const plan = steppSteps(input.years ?? 0);
  if (end === null || plan.steps === 0) return [];
  const stepSeconds = plan.stepYears * YEAR_SECONDS;
  const counts = await classCounts(pool, selection, { ...STEPP_CLASSES, end, stepSeconds });
  const endMs = timeToMilliseconds(end);
  return steppClasses(counts, plan).map(({ completeYears, ...others }) => ({
    ...others,
    completeYears,
    completeSince:
      completeYears === null
        ? null
        : new Date(endMs - completeYears * YEAR_SECONDS * 1000).toISOString(),
  }));
}
