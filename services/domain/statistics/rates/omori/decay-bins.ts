import type { OmoriParameters } from "./omori-fit.ts";
import { type OmoriWindow, omoriIntegral } from "./omori-integrals.ts";

/** Aftershocks between two times of equal distance in their logarithm. */
export type DecayBin = {
  /** Days after the main event. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Events per day. */
  readonly rate: number;
  /** Events per day by the law; null without one. */
  readonly expected: number | null;
};

const BINS_PER_DECADE = 5;

/** The decay of the rate over a window, from its start, or the first event where that is 0. */
export function decayBins(
  days: Float64Array,
  { start, end }: OmoriWindow,
  law: OmoriParameters | null,
): DecayBin[] {
  const first = start > 0 ? start : days.reduce((least, day) => Math.min(least, day), end);
  const decades = Math.log10(end / first);
  if (!(decades > 0 && Number.isFinite(decades))) return [];
  const n = Math.max(1, Math.ceil(decades * BINS_PER_DECADE - 1e-9));
  const edge = (i: number) => (i === n ? end : first * (end / first) ** (i / n));
  const counts = new Array<number>(n).fill(0);
  for (const day of days) {
    let bin = Math.min(n - 1, Math.max(0, Math.floor((Math.log10(day / first) / decades) * n)));
    if (day < edge(bin)) bin--;
    else if (bin < n - 1 && day >= edge(bin + 1)) bin++;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((count, i) => {
    const [from, to] = [edge(i), edge(i + 1)];
    const expected =
      law === null
        ? null
        : (law.K * omoriIntegral(law.c, law.p, { start: from, end: to })) / (to - from);
    return { from, to, count, rate: count / (to - from), expected };
  });
}
