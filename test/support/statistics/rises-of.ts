import { histogramOfBins, type MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";

/**
 * The rises of magnitude from one event to the next, in bins: only those of at least `least` bins. An
 * event larger than the one before is detected whatever that one hides, so b of the rises is that of
 * the magnitudes though the catalogue is incomplete for a while: b-positive (van der Elst 2021).
 * @param bins of the magnitudes from that of completeness up, in order of time
 * @param least of the threshold dc; the rises' own magnitude of completeness
 */
export function risesOf(
  bins: readonly number[],
  least: number,
  binWidth: number,
): MagnitudeHistogram {
  const byRise = new Map<number, number>();
  for (let i = 1; i < bins.length; i++) {
    const rise = (bins[i] ?? 0) - (bins[i - 1] ?? 0);
    if (rise >= least) byRise.set(rise, (byRise.get(rise) ?? 0) + 1);
  }
  return histogramOfBins(byRise, binWidth);
}
