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

const NAMES = Object.keys(PERCENTILES);

type Percentiles = Readonly<Record<keyof typeof PERCENTILES, number | null>>;

/** The distribution of each attribute that says how good a solution is. */
export async function qualitySeries(pool: Pick<Pool, "query">, selection: AnalysisSelection) {
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
