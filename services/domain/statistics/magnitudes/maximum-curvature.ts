import type { MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";

/** The bin with the most events, the lowest of several (Wiemer & Wyss 2000); null without events. */
export function modalBin({ first, counts }: MagnitudeHistogram): number | null {
  let most = 0;
  let mode: number | null = null;
  counts.forEach((count, i) => {
    if (count > most) {
      most = count;
      mode = first + i;
    }
  });
  return mode;
}

/** Distance of the mode from the lowest magnitude, in bins, that a complete catalogue would not have. */
const CUT_WITHIN = 2;

/**
 * Whether the catalogue seems to have been cut off from below: its most frequent magnitude is (nearly)
 * its lowest, so nothing can be seen of its becoming incomplete.
 */
export function isCut(histogram: MagnitudeHistogram): boolean {
  const mode = modalBin(histogram);
  return mode !== null && mode - histogram.first <= CUT_WITHIN;
}
