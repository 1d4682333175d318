import { binsOf, histogramOf } from "#contracts/analytics/histogram.ts";

/** Width of a bin of magnitudes. */
export const BIN_WIDTH = 0.1;

/** Numbers of events by magnitude, in bins of 0.1 from the smallest to the largest. */
export type MagnitudeBins = {
  readonly magnitudes: readonly number[];
  readonly counts: readonly number[];
  /** So many are of the bin's magnitude or larger. */
  readonly cumulative: readonly number[];
  /** Events without a magnitude. */
  readonly unknown: number;
};

/** @param indexes of the events that count; null for all */
export function magnitudeBins(magnitude: Float32Array, indexes: Uint32Array | null): MagnitudeBins {
  const values = indexes ? Float32Array.from(indexes, (i) => magnitude[i] ?? NaN) : magnitude;
  const known = values.filter((value) => !Number.isNaN(value));
  // As they were before they were packed in 32 bits: 2.45 is on the edge of a bin, and 2.4499998 is not.
  const bins = binsOf(histogramOf(Array.from(known, asWritten), BIN_WIDTH));
  return {
    magnitudes: bins.map((bin) => bin.magnitude),
    counts: bins.map((bin) => bin.count),
    cumulative: bins.map((bin) => bin.cumulative),
    unknown: values.length - known.length,
  };
}

/** A number of 32 bits has about seven digits. */
function asWritten(packed: number): number {
  return Number(packed.toPrecision(7));
}
