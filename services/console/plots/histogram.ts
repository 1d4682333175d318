import { binsOf, histogramOf } from "#contracts/analytics/histogram.ts";
import { niceTicks } from "#contracts/plots/scale.ts";
import { DAY_MS } from "#contracts/units.ts";
import { asWritten } from "../model/event-columns.ts";

/**
 * Bins of round width, at most about `most`.
 * @param shown indexes of the events that count; null for all
 */
export function roundHistogramOf(values: Float32Array, indexes: Uint32Array | null, most: number) {
  const picked = indexes ? Float32Array.from(indexes, (i) => values[i] ?? Number.NaN) : values;
  const known = picked.filter((value) => !Number.isNaN(value)).sort();
  const unknown = picked.length - known.length;
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) {
    return { from: 0, to: 1, counts: new Array<number>(0), known: 0, unknown, median: null };
  }
  const [start = 0, next = 1] = niceTicks(0, Math.max(last - first, 1e-3), most);
  const width = next - start;
  const from = Math.floor(first / width) * width;
  const bins = Math.floor((last - from) / width) + 1;
  const counts = new Array<number>(bins).fill(0);
  for (const value of known) {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor((value - from) / width)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const median = known[Math.floor((known.length - 1) / 2)] ?? null;
  return { from, to: from + bins * width, counts, known: known.length, unknown, median };
}

/** Width of a bin of magnitudes. */
export const BIN_WIDTH = 0.1;

/**
 * Numbers of events by magnitude, in bins of 0.1 from the smallest to the largest.
 * @param indexes of the events that count; null for all
 */
export function magnitudeBins(magnitude: Float32Array, indexes: Uint32Array | null) {
  const values = indexes ? Float32Array.from(indexes, (i) => magnitude[i] ?? NaN) : magnitude;
  const known = values.filter((value) => !Number.isNaN(value));
  // As they were before they were packed in 32 bits: 2.45 is on the edge of a bin, and 2.4499998 is not.
  const bins = binsOf(histogramOf(Array.from(known, asWritten), BIN_WIDTH));
  return {
    magnitudes: bins.map((bin) => bin.magnitude),
    counts: bins.map((bin) => bin.count),
    /** So many are of the bin's magnitude or larger. */
    cumulative: bins.map((bin) => bin.cumulative),
    /** Events without a magnitude. */
    unknown: values.length - known.length,
  };
}

/** The stretch from the first to the last time, of at least a day around a single one. */
export function stretchOf(time: Float64Array): readonly [from: number, to: number] {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const at of time) {
    if (at < from) from = at;
    if (at > to) to = at;
  }
  if (from > to) return [0, DAY_MS];
  return to - from < DAY_MS / 24 ? [from - DAY_MS / 2, to + DAY_MS / 2] : [from, to];
}

/** Counts events in equal bins; the last bin has its end too. */
export function timeBins(
  time: Float64Array,
  indexes: Uint32Array | null,
  [from, to]: readonly [from: number, to: number],
  bins: number,
): Uint32Array {
  const counts = new Uint32Array(bins);
  const events = indexes ? indexes.length : time.length;
  const perBin = (to - from) / bins;
  for (let n = 0; n < events; n++) {
    const at = time[indexes ? (indexes[n] ?? 0) : n] ?? 0;
    if (at < from || at > to) continue;
    const bin = Math.min(bins - 1, Math.floor((at - from) / perBin));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}
