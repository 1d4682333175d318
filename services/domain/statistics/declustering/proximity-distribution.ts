import type { EventTable } from "../event-table.ts";
import { YEAR_MS } from "../event-table.ts";
import { createEventGrid } from "./event-grid.ts";
import type { OnProgress } from "./labels.ts";
import type { ProximityOptions } from "./proximity.ts";
import { type FamilyOptions, proximityFamilies } from "./proximity-families.ts";

/** Width of bins and cells, decades. */
const WIDTH = 0.2;
const MIN_YEARS = 1_000 / YEAR_MS;
const MIN_KM = 0.001;

/**
 * How the proximities of a catalogue are distributed: log η in bins, and its parts log T and log R in cells, with
 * T = t · 10^(−b m / 2) years and R = r^df · 10^(−b m / 2) km^df (Zaliapin & Ben-Zion 2013, eq. 2).
 */
export function proximityDistribution(
  table: EventTable,
  options: FamilyOptions,
  onProgress: OnProgress,
) {
  const { known, estimate, parents, isBimodal } = proximityFamilies(table, options, onProgress);
  return {
    isBimodal,
    estimate: { n: known.length, ...estimate },
    bins: binsOf(known),
    series: cellsOf(table, options, parents),
  };
}

/** The bins of ascending values from the lowest to the highest, empty ones too. */
function binsOf(ascending: Float64Array) {
  const [lowest = 0] = ascending;
  const first = Math.floor(lowest / WIDTH);
  const last = Math.floor((ascending.at(-1) ?? 0) / WIDTH);
  const counts = new Map<number, number>();
  for (const value of ascending) count(counts, Math.floor(value / WIDTH));
  if (ascending.length === 0) return [];
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    from: edge(first + i),
    to: edge(first + i + 1),
    count: counts.get(first + i) ?? 0,
  }));
}

/** Cells with events, by log T, then log R. */
function cellsOf(table: EventTable, { df, b }: ProximityOptions, parents: Int32Array) {
  const { times, magnitudes } = table;
  const { distance } = createEventGrid(table);
  const columns = new Map<number, Map<number, number>>();
  for (const [event, parent] of parents.entries()) {
    if (parent === -1) continue;
    const years = Math.max(MIN_YEARS, ((times[event] ?? 0) - (times[parent] ?? 0)) / YEAR_MS);
    const km = Math.max(MIN_KM, distance(parent, event));
    const half = (b * (magnitudes[parent] ?? 0)) / 2;
    const column = Math.floor((Math.log10(years) - half) / WIDTH);
    const counts = columns.get(column) ?? new Map<number, number>();
    count(counts, Math.floor((df * Math.log10(km) - half) / WIDTH));
    columns.set(column, counts);
  }
  return [...columns].toSorted(byKey).flatMap(([column, counts]) =>
    [...counts].toSorted(byKey).map(([row, n]) => ({
      logT: edge(column),
      logR: edge(row),
      width: WIDTH,
      count: n,
    })),
  );
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function byKey(a: readonly [number, unknown], b: readonly [number, unknown]): number {
  return a[0] - b[0];
}

const DIGITS = 10;

/** Without the error of binary fractions. */
function edge(bin: number): number {
  return Number((bin * WIDTH).toFixed(DIGITS));
}
