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

/** @param shown indexes of the events that count; null for all */
export function magnitudeBins(magnitude: Float32Array, indexes: Uint32Array | null): MagnitudeBins {
  const events = indexes ? indexes.length : magnitude.length;
  const byBin = new Map<number, number>();
  let unknown = 0;
  for (let n = 0; n < events; n++) {
    const value = magnitude[indexes ? (indexes[n] ?? 0) : n] ?? Number.NaN;
    if (Number.isNaN(value)) {
      unknown++;
      continue;
    }
    const bin = Math.round(value / BIN_WIDTH);
    byBin.set(bin, (byBin.get(bin) ?? 0) + 1);
  }
  const [first, last] = [Math.min(...byBin.keys()), Math.max(...byBin.keys())];
  const bins = byBin.size === 0 ? 0 : last - first + 1;
  const counts = Array.from({ length: bins }, (_, i) => byBin.get(first + i) ?? 0);
  const cumulative = counts.slice();
  for (let i = bins - 2; i >= 0; i--) {
    cumulative[i] = (cumulative[i] ?? 0) + (cumulative[i + 1] ?? 0);
  }
  const magnitudes = counts.map((_, i) => Number(((first + i) * BIN_WIDTH).toFixed(1)));
  return { magnitudes, counts, cumulative, unknown };
}
