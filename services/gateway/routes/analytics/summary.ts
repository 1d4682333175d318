import { type SummaryRow, summaryRows } from "#projections/read/analytics/counts.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { countsOf, inputWithTypes } from "./analysis/input.ts";

export const getAnalyticsSummaryHandler: MakeAnalysis<"getAnalyticsSummary"> = (deps) => (call) =>
  analyse(deps, call, {
    method: "summary",
    parameters: {},
    reference: null,
    find: async (pool, selection) => {
      const rows = await summaryRows(pool, selection);
      return {
        input: inputWithTypes(rows, selection.filters),
        outcome: { estimate: summaryOf(rows) },
        warnings: [],
      };
    },
  });

function summaryOf(rows: readonly SummaryRow[]) {
  const sum = (pick: (row: SummaryRow) => number) =>
    rows.reduce((total, row) => total + pick(row), 0);
  const events = sum(({ count }) => count);
  return {
    events,
    magnitude: {
      ...rangeOf(rows, "minMagnitude", "maxMagnitude"),
      missing: events - sum(({ withMagnitude }) => withMagnitude),
    },
    depth: {
      ...rangeOf(rows, "minDepth", "maxDepth"),
      missing: events - sum(({ withDepth }) => withDepth),
    },
    latitude: rangeOf(rows, "minLatitude", "maxLatitude"),
    longitude: rangeOf(rows, "minLongitude", "maxLongitude"),
    eventTypes: countsOf(rows.map(({ eventType, count }) => [eventType, count])),
  };
}

type BoundName = Extract<keyof SummaryRow, `${"min" | "max"}${string}`>;

/** Both null where no event has the attribute. */
function rangeOf(rows: readonly SummaryRow[], low: BoundName, high: BoundName) {
  const lows = rows.flatMap((row) => row[low] ?? []);
  const highs = rows.flatMap((row) => row[high] ?? []);
  return lows.length === 0
    ? { min: null, max: null }
    : { min: Math.min(...lows), max: Math.max(...highs) };
}
