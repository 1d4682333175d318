import { DEPTH_BIN } from "#contracts/http/analytics/rates.ts";
import {
  type DepthCount,
  depthCounts,
  type FrequentDepth,
  frequentDepths,
} from "#projections/read/analytics/counts.ts";
import { depthBins, FREQUENT_SHARE, fixedDepths } from "#services/domain/analytics/depths.ts";
import { noEstimate } from "#services/domain/analytics/estimate.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { inputOf } from "./analysis/input.ts";

export const getDepthsHandler: MakeAnalysis<"getDepths"> = (deps) => (call) => {
  const { bin = DEPTH_BIN.default } = call.query;
  return analyse(deps, call, {
    method: "depths",
    parameters: { bin },
    reference: null,
    find: async (pool, selection) => {
      const plan = { width: bin, frequentShare: FREQUENT_SHARE };
      const rows = await depthCounts(pool, selection, plan);
      const frequent = await frequentDepths(pool, selection, { ...plan, counts: rows });
      return {
        input: inputOf(rows, selection.filters),
        outcome: outcomeOf(rows, frequent),
        bins: depthBins(countsOf(rows), bin),
        warnings: [],
      };
    },
  });
};

function outcomeOf(rows: readonly DepthCount[], frequent: readonly FrequentDepth[]) {
  const known = rows.filter(({ bin }) => bin !== null);
  const n = sumOf(known, "count");
  if (n === 0) {
    return noEstimate("no event has a depth", n, 1);
  }
  const rare = {
    depth: null,
    count: n - sumOf(frequent, "count"),
    assigned: sumOf(known, "assigned") - sumOf(frequent, "assigned"),
  };
  const fixed = fixedDepths([...frequent, rare]);
  return { estimate: { n, missing: sumOf(rows, "count") - n, fixed } };
}

function sumOf<N extends "count" | "assigned">(
  rows: readonly Readonly<Record<N, number>>[],
  name: N,
): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}

function countsOf(rows: readonly DepthCount[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { bin, count } of rows) {
    if (bin !== null) counts.set(bin, count);
  }
  return counts;
}
