import { type QualityCount, qualityCounts } from "#projections/queries/analytics/quality-counts.ts";
import { noEstimate } from "#services/domain/statistics/estimate.ts";
import { QUALITY_ATTRIBUTES } from "#services/domain/statistics/quality/quality-attributes.ts";
import {
  EVALUATION_PART,
  GRADES,
  gradeOfQuality,
  MEASURED_PARTS,
} from "#services/domain/statistics/quality/quality-rules.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { inputOf } from "./analysis/input.ts";
import { qualitySeries } from "./quality-series.ts";
import { steppOf } from "./stepp.ts";

const PLAN = { columns: QUALITY_ATTRIBUTES, parts: MEASURED_PARTS, evaluation: EVALUATION_PART };

export const getQualityHandler: MakeAnalysis<"getQuality"> = (deps) => (call) =>
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
