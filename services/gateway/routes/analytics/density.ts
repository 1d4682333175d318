import { invalid } from "#contracts/errors.ts";
import { CELL } from "#contracts/http/analytics/rates.ts";
import { type CellCounts, cellCounts } from "#projections/read/analytics/counts.ts";
import { noEstimate } from "#services/domain/analytics/estimate.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { inputOfAll } from "./analysis/input.ts";

/** About 15 MB of an answer. */
const MAX_CELLS = 250_000;

export const getDensityHandler: MakeAnalysis<"getDensity"> = (deps) => (call) => {
  const { cell = CELL.default } = call.query;
  return analyse(deps, call, {
    method: "density",
    parameters: { cell },
    reference: null,
    find: async (pool, selection) => {
      const counts = await cellCounts(pool, selection, { size: cell, limit: MAX_CELLS });
      requireFewCells(counts);
      const { start, end, events: count } = counts;
      const bins = binsOf(counts, cell);
      return {
        input: inputOfAll({ count, start, end }, selection.filters),
        outcome: outcomeOf(bins, count),
        bins,
        warnings: [],
      };
    },
  });
};

function requireFewCells({ cells }: CellCounts): void {
  if (cells <= MAX_CELLS) return;
  const message = `there are ${cells} cells with events, more than ${MAX_CELLS}: take larger ones`;
  throw invalid("cell", message);
}

type Cell = { readonly latitude: number; readonly longitude: number; readonly count: number };

function binsOf({ latitudes, longitudes, counts }: CellCounts, size: number): Cell[] {
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

function outcomeOf(cells: readonly Cell[], n: number) {
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
