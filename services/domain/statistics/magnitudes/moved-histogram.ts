import { binOf, type MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import { normalDistribution } from "../numbers/normal.ts";

/** Events that share a magnitude and its uncertainty; `sigma` 0 is an unknown one. */
export type MagnitudeClass = {
  readonly magnitude: number;
  readonly sigma: number;
  readonly events: number;
};

/** Beyond so many σ there are fewer than one event in 10¹⁵. */
const TAIL = 8;
/** Magnitudes are moved no further: whatever is beyond is at the end. */
const LEAST = -30;
const GREATEST = 30;

/**
 * The numbers of events in bins that are expected when each magnitude is moved by its own uncertainty, normally
 * distributed. They are no whole numbers.
 */
export function movedHistogram(
  classes: readonly MagnitudeClass[],
  binWidth: number,
): MagnitudeHistogram {
  const ends = classes.map(({ magnitude, sigma }) => ({
    from: binWithin(magnitude - TAIL * sigma, binWidth),
    to: binWithin(magnitude + TAIL * sigma, binWidth),
  }));
  const first = ends.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
  const last = ends.reduce((greatest, { to }) => Math.max(greatest, to), Number.NEGATIVE_INFINITY);
  if (first > last) return { binWidth, first: 0, counts: [] };
  const counts = new Array<number>(last - first + 1).fill(0);
  const add = (bin: number, events: number) => {
    counts[bin - first] = (counts[bin - first] ?? 0) + events;
  };
  for (const [i, { magnitude, sigma, events }] of classes.entries()) {
    const { from = first, to = first } = ends[i] ?? {};
    let below = 0;
    for (let bin = from; bin < to; bin++) {
      const edge = (bin + 0.5) * binWidth;
      const share = normalDistribution((edge - magnitude) / sigma);
      add(bin, (share - below) * events);
      below = share;
    }
    add(to, (1 - below) * events);
  }
  return { binWidth, first, counts };
}

function binWithin(magnitude: number, binWidth: number): number {
  return binOf(Math.min(GREATEST, Math.max(LEAST, magnitude)), binWidth);
}
