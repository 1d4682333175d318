import { LOG_BIN } from "#contracts/http/analytics/rates.ts";
import { type IntervalRow, intervalRow } from "#projections/read/analytics/counts.ts";
import { noEstimate } from "#services/domain/analytics/estimate.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { inputOfAll } from "./analysis/input.ts";

/** Two times, of which a standard deviation can be had. */
const REQUIRED = 3;

export const getInterEventTimesHandler: MakeAnalysis<"getInterEventTimes"> = (deps) => (call) => {
  const { bin = LOG_BIN.default } = call.query;
  return analyse(deps, call, {
    method: "inter-event",
    parameters: { bin },
    reference: "Kagan & Jackson 1991",
    find: async (pool, selection) => {
      const row = await intervalRow(pool, selection, bin);
      const { start, end, events: count } = row;
      return {
        input: inputOfAll({ count, start, end }, selection.filters),
        outcome: outcomeOf(row),
        bins: binsOf(row, bin),
        warnings: [],
      };
    },
  });
};

function outcomeOf({ events, n, mean, median, min, max, deviation, zeros }: IntervalRow) {
  if (mean === null || median === null || min === null || max === null || deviation === null) {
    return noEstimate("variation needs two times between events", events, REQUIRED);
  }
  const cv = mean === 0 ? null : deviation / mean;
  return { estimate: { n, mean, median, min, max, cv, zeros } };
}

/** From the shortest to the longest time, empty bins too. */
function binsOf({ bins }: IntervalRow, width: number) {
  const counts = new Map(bins);
  if (counts.size === 0) return [];
  const first = Math.min(...counts.keys());
  return Array.from({ length: Math.max(...counts.keys()) - first + 1 }, (_, i) => ({
    from: seconds(startOfLogBin(first + i, width)),
    to: seconds(startOfLogBin(first + i + 1, width)),
    count: counts.get(first + i) ?? 0,
  }));
}

/** Where a bin begins, seconds. */
export function startOfLogBin(bin: number, width: number): number {
  return 10 ** (bin * width);
}

function seconds(value: number): number {
  return Number(value.toPrecision(6));
}
