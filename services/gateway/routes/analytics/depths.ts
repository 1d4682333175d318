import { DEPTH_BIN } from "#contracts/http/analytics-rates.ts";
import { type DepthCount, depthCounts } from "#projections/queries/analytics/depth-counts.ts";
import {
  depthBins,
  FREQUENT_SHARE,
  fixedDepths,
} from "#services/domain/statistics/rates/depth-bins.ts";
import type { MakeHandler } from "../make-handler.ts";
import { analyse } from "./analyse.ts";
import { inputOf } from "./input.ts";

export const getDepthsHandler: MakeHandler<"getDepths", "reads" | "keptAnalyses"> =
  (deps) => (call) => {
    const { bin = DEPTH_BIN.default } = call.query;
    return analyse(deps, call, {
      method: "depths",
      parameters: { bin },
      reference: null,
      find: async (pool, selection) => {
        const plan = { width: bin, frequentShare: FREQUENT_SHARE };
        const rows = await depthCounts(pool, selection, plan);
        return {
          input: inputOf(rows, selection.filters),
          outcome: outcomeOf(rows),
          bins: depthBins(countsOf(rows), bin),
          warnings: [],
        };
      },
    });
  };

function outcomeOf(rows: readonly DepthCount[]) {
  const known = rows.filter(({ bin }) => bin !== null);
  const n = eventsOf(known);
  if (n === 0) {
    return { estimate: null, reason: "no event has a depth", n, required: 1 } as const;
  }
  return { estimate: { n, missing: eventsOf(rows) - n, fixed: fixedDepths(known) } };
}

function eventsOf(rows: readonly DepthCount[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

function countsOf(rows: readonly DepthCount[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { bin, count } of rows) {
    if (bin !== null) counts.set(bin, (counts.get(bin) ?? 0) + count);
  }
  return counts;
}
