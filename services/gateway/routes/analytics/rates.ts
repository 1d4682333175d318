import type { AnalysisInput } from "#contracts/http/analytics/analytics.ts";
import { countsByUnit } from "#projections/read/analytics/counts.ts";
import { noEstimate } from "#services/domain/analytics/estimate.ts";
import { type RateBin, rateBins } from "#services/domain/analytics/rates/calendar-bins.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { inputOf } from "./analysis/input.ts";
import { periodOf, timesOf } from "./calendar-period.ts";

export const getRatesHandler: MakeAnalysis<"getRates"> = (deps) => (call) => {
  const { bin = "month" } = call.query;
  return analyse(deps, call, {
    method: "rates",
    parameters: { bin },
    reference: null,
    find: async (pool, selection) => {
      const rows = await countsByUnit(pool, selection, bin);
      const input = inputOf(rows, selection.filters);
      const period = periodOf(input, selection.filters, bin);
      const counts = new Map(rows.map(({ unit, count }) => [unit, count]));
      const bins = period === null ? [] : rateBins(bin, counts, period);
      return {
        input,
        outcome: outcomeOf(bins, input),
        bins: bins.map((rate) => ({ ...rate, ...timesOf(rate) })),
        warnings: [],
      };
    },
  });
};

function outcomeOf(bins: readonly RateBin[], { events, years }: AnalysisInput) {
  const [first] = bins;
  if (events === 0 || first === undefined) {
    return noEstimate("there are no events", 0, 1);
  }
  const fullest = bins.reduce((most, bin) => (bin.count > most.count ? bin : most), first);
  return {
    estimate: {
      n: events,
      bins: bins.length,
      filled: bins.filter(({ count }) => count > 0).length,
      max: fullest.count,
      maxStart: timesOf(fullest).start,
      perYear: years === null || years === 0 ? null : events / years,
    },
  };
}
