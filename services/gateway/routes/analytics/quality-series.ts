import type { Pool } from "pg";
import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import {
  type BinCount,
  binCounts,
  type Distribution,
  distributions,
} from "#projections/queries/analytics/attribute-distributions.ts";
import type { AnalysisSelection } from "#projections/queries/analytics/selection.ts";
import { QUALITY_ATTRIBUTES } from "#services/domain/statistics/quality/quality-attributes.ts";
import { PERCENTILES, valueBins } from "#services/domain/statistics/quality/value-distribution.ts";

const NAMES = Object.keys(PERCENTILES) as (keyof typeof PERCENTILES)[];

/** The distribution of each attribute that says how good a solution is. */
export async function qualitySeries(pool: Pick<Pool, "query">, selection: AnalysisSelection) {
  const columns = QUALITY_ATTRIBUTES;
  const fractions = Object.values(PERCENTILES);
  const found = await distributions(pool, selection, { columns, fractions });
  const counts = await binCounts(pool, selection, columns);
  return columns.map(({ attribute, bins }, i) => {
    const { unit }: Attribute = ATTRIBUTES[attribute];
    return {
      attribute,
      unit: unit ?? null,
      ...shown(found[i] ?? { known: 0, missing: 0, zeros: 0, percentiles: null }),
      bins: valueBins(countsOf(counts, i), bins),
    };
  });
}

function shown({ known, missing, zeros, percentiles }: Distribution) {
  const [p05, p25, p50, p75, p95] = NAMES.map((_, i) => percentiles?.[i] ?? null);
  return {
    n: known,
    missing,
    zeros,
    p05: p05 ?? null,
    p25: p25 ?? null,
    p50: p50 ?? null,
    p75: p75 ?? null,
    p95: p95 ?? null,
  };
}

function countsOf(counts: readonly BinCount[], column: number): Map<number, number> {
  const ofColumn = counts.filter((row) => row.column === column);
  return new Map(ofColumn.map(({ bin, count }) => [bin, count]));
}
