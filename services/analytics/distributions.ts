import { invalid } from "#contracts/errors.ts";
import { CELL, DEPTH_BIN } from "#contracts/http/analytics/statistics.ts";
import {
  type CellCounts,
  cellCounts,
  type DepthCount,
  depthCounts,
  type FrequentDepth,
  frequentDepths,
  type SummaryRow,
  summaryRows,
} from "#projections/read/analytics/counts.ts";
import { binsOf, noEstimate } from "#services/domain/analytics/numbers/numerics.ts";
import { FREQUENT_SHARE, fixedDepths } from "#services/domain/analytics/quality.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { analyse, countsOf, inputOf, inputOfAll, inputWithTypes } from "./analyse.ts";

export const handlersOfDistributions = (deps: HandlerDeps) =>
  ({
    getAnalyticsSummary: (call) =>
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
      }),

    getDepths: (call) => {
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
            outcome: depthsOutcome(rows, frequent),
            bins: binsOf(countsByDepth(rows), bin, 6),
            warnings: [],
          };
        },
      });
    },

    getDensity: (call) => {
      const { cell = CELL.default } = call.query;
      return analyse(deps, call, {
        method: "density",
        parameters: { cell },
        reference: null,
        find: async (pool, selection) => {
          const counts = await cellCounts(pool, selection, { size: cell, limit: MAX_CELLS });
          requireFewCells(counts);
          const { start, end, events: count } = counts;
          const bins = densityBins(counts, cell);
          return {
            input: inputOfAll({ count, start, end }, selection.filters),
            outcome: densityOutcome(bins, count),
            bins,
            warnings: [],
          };
        },
      });
    },
  }) satisfies Partial<Handlers>;

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

function depthsOutcome(rows: readonly DepthCount[], frequent: readonly FrequentDepth[]) {
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

function countsByDepth(rows: readonly DepthCount[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { bin, count } of rows) {
    if (bin !== null) counts.set(bin, count);
  }
  return counts;
}

/** About 15 MB of an answer. */
const MAX_CELLS = 250_000;

function requireFewCells({ cells }: CellCounts): void {
  if (cells <= MAX_CELLS) return;
  const message = `there are ${cells} cells with events, more than ${MAX_CELLS}: take larger ones`;
  throw invalid("cell", message);
}

type Cell = { readonly latitude: number; readonly longitude: number; readonly count: number };

function densityBins({ latitudes, longitudes, counts }: CellCounts, size: number): Cell[] {
  return counts.map((count, i) => ({
    latitude: edgeOfCell(latitudes[i] ?? 0, size),
    longitude: edgeOfCell(longitudes[i] ?? 0, size),
    count,
  }));
}

/** Where a cell begins, degrees: its southern or western edge. */
export function edgeOfCell(cell: number, size: number): number {
  return Number((cell * size).toFixed(9));
}

function densityOutcome(cells: readonly Cell[], n: number) {
  const [first] = cells;
  if (first === undefined) {
    return noEstimate("there are no events", 0, 1);
  }
  const {
    latitude,
    longitude,
    count: max,
  } = cells.reduce((most, cell) => (cell.count > most.count ? cell : most), first);
  return { estimate: { n, cells: cells.length, max, maxAt: { latitude, longitude } } };
}
