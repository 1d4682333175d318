import type { Pool } from "pg";
import type { AnalysisInput } from "#contracts/http/analytics/analytics.ts";
import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
import {
  type BinCount,
  binCounts,
  type Distribution,
  distributions,
} from "#projections/queries/analytics/attribute-distributions.ts";
import { classCounts } from "#projections/queries/analytics/class-counts.ts";
import { type QualityCount, qualityCounts } from "#projections/queries/analytics/quality-counts.ts";
import type { AnalysisSelection } from "#projections/queries/analytics/selection.ts";
import { noEstimate } from "#services/domain/statistics/estimate.ts";
import { QUALITY_ATTRIBUTES } from "#services/domain/statistics/quality/quality-attributes.ts";
import {
  EVALUATION_PART,
  GRADES,
  gradeOfQuality,
  MEASURED_PARTS,
} from "#services/domain/statistics/quality/quality-rules.ts";
import {
  STEPP_CLASSES,
  steppClasses,
  steppSteps,
} from "#services/domain/statistics/quality/stepp-classes.ts";
import { PERCENTILES, valueBins } from "#services/domain/statistics/quality/value-distribution.ts";
import { room } from "../../http/room.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { inputOf } from "./analysis/input.ts";
import { compareCataloguesHandler } from "./compare.ts";
import { declusterHandler } from "./decluster.ts";
import { createDeclusteredHandler, listLabelsHandler } from "./decluster-result.ts";
import { getDensityHandler } from "./density.ts";
import { getDepthsHandler } from "./depths.ts";
import { getInterEventTimesHandler } from "./inter-event.ts";
import { getBValueHandler } from "./magnitudes/b-value.ts";
import { getCompletenessHandler } from "./magnitudes/completeness.ts";
import { getMagnitudeFrequencyHandler } from "./magnitudes/magnitude-frequency.ts";
import { getMomentHandler } from "./moment.ts";
import { getNearestNeighboursHandler } from "./nearest-neighbour.ts";
import { getOmoriHandler } from "./omori.ts";
import { getRatesHandler } from "./rates.ts";
import { getAnalyticsSummaryHandler } from "./summary.ts";

const NAMES = Object.keys(PERCENTILES);

type Percentiles = Readonly<Record<keyof typeof PERCENTILES, number | null>>;

/** The distribution of each attribute that says how good a solution is. */
async function qualitySeries(pool: Pick<Pool, "query">, selection: AnalysisSelection) {
  const columns = QUALITY_ATTRIBUTES;
  const fractions = Object.values(PERCENTILES);
  const rows = await distributions(pool, selection, { columns, fractions });
  const counts = await binCounts(pool, selection, columns);
  return columns.map(({ attribute, bins }, i) => {
    const { unit }: Attribute = ATTRIBUTES[attribute];
    return {
      attribute,
      unit: unit ?? null,
      ...sharesOf(rows[i] ?? { known: 0, missing: 0, zeros: 0, percentiles: null }),
      bins: valueBins(countsOf(counts, i), bins),
    };
  });
}

function sharesOf({ known, missing, zeros, percentiles }: Distribution) {
  const shares = NAMES.map((name, i) => [name, percentiles?.[i] ?? null]);
  return { n: known, missing, zeros, ...(Object.fromEntries(shares) as Percentiles) };
}

function countsOf(counts: readonly BinCount[], column: number): Map<number, number> {
  const ofColumn = counts.filter((row) => row.column === column);
  return new Map(ofColumn.map(({ bin, count }) => [bin, count]));
}

const YEAR_SECONDS = 365.25 * 86_400;

/** Stepp's test of the events of an analysis, back from endTime or the last of them. */
async function steppOf(
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

const PLAN = { columns: QUALITY_ATTRIBUTES, parts: MEASURED_PARTS, evaluation: EVALUATION_PART };

const getQualityHandler: MakeAnalysis<"getQuality"> = (deps) => (call) =>
  analyse(deps, call, {
    method: "quality",
    parameters: {},
    reference: "Stepp 1972",
    find: async (pool, selection) => {
      const counts = await qualityCounts(pool, selection, PLAN);
      const input = inputOf(counts, selection.filters);
      if (input.events === 0) {
        const outcome = noEstimate("there are no events", 0, 1);
        return { input, outcome, bins: [], series: [], warnings: [] };
      }
      const series = await qualitySeries(pool, selection);
      const stepp = await steppOf(pool, selection, input);
      const gap = gapsOf(counts, series);
      const estimate = { n: input.events, gap, q: qOf(counts), stepp };
      return { input, outcome: { estimate }, bins: binsOf(counts), series, warnings: [] };
    },
  });

type Counts = readonly QualityCount[];

function gapsOf(counts: Counts, series: Awaited<ReturnType<typeof qualitySeries>>) {
  const above180 = counts.reduce((sum, { gapAbove180 }) => sum + gapAbove180, 0);
  const gaps = series.find(({ attribute }) => attribute === "azimuthal_gap");
  const { n = 0, p05 = null, p25 = null, p50 = null, p75 = null, p95 = null } = gaps ?? {};
  const upTo180Share = n === 0 ? null : (n - above180) / n;
  return { n, p05, p25, p50, p75, p95, above180, upTo180Share };
}

function qOf(counts: Counts) {
  const n = counts.reduce((sum, { count }) => sum + count, 0);
  const grades: Record<string, number> = Object.fromEntries(GRADES.map(([grade]) => [grade, 0]));
  for (const { q, count } of counts) {
    const grade = gradeOfQuality(q);
    grades[grade] = (grades[grade] ?? 0) + count;
  }
  const documented = counts.reduce((sum, row) => sum + row.documented, 0) / n;
  return {
    mean: counts.reduce((sum, { q, count }) => sum + q * count, 0) / n,
    documented: Number(documented.toFixed(9)),
    grades,
  };
}

/** From the lowest to the highest Q, empty ones too. */
function binsOf(counts: Counts) {
  const byQ = new Map(counts.map(({ q, count }) => [q, count]));
  const first = Math.min(...byQ.keys());
  return Array.from({ length: Math.max(...byQ.keys()) - first + 1 }, (_, i) => ({
    q: first + i,
    count: byQ.get(first + i) ?? 0,
  }));
}

export const handlersOfAnalytics = room({
  getNearestNeighbours: getNearestNeighboursHandler,
  decluster: declusterHandler,
  listLabels: listLabelsHandler,
  createDeclustered: createDeclusteredHandler,
  getAnalyticsSummary: getAnalyticsSummaryHandler,
  getMagnitudeFrequency: getMagnitudeFrequencyHandler,
  getCompleteness: getCompletenessHandler,
  getBValue: getBValueHandler,
  getRates: getRatesHandler,
  getMoment: getMomentHandler,
  getInterEventTimes: getInterEventTimesHandler,
  getDepths: getDepthsHandler,
  getDensity: getDensityHandler,
  getOmori: getOmoriHandler,
  getQuality: getQualityHandler,
  compareCatalogues: compareCataloguesHandler,
});
