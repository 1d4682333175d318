import { binOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { decimalYear } from "#contracts/query/calendar-units.ts";
import type { CompleteSince } from "#contracts/query/complete-years.ts";
import { countsSince } from "#projections/queries/analytics/counts-since.ts";
import { type Estimate, noEstimate } from "#services/domain/statistics/estimate.ts";
import { weichert } from "#services/domain/statistics/magnitudes/weichert.ts";
import type { BEstimate } from "./fit-b.ts";
import type { MagnitudeData } from "./magnitude-data.ts";

/** b by Weichert, with the lowest complete magnitude as Mc. @param mmax the largest observed by default */
export async function fitWeichert(
  { pool, selection, histogram, counts }: MagnitudeData,
  {
    complete,
    mmax,
  }: { readonly complete: readonly CompleteSince[]; readonly mmax: number | undefined },
): Promise<Estimate<BEstimate>> {
  const { binWidth, first, counts: all } = histogram;
  const classes = complete.map(({ magnitude, since }) => ({
    bin: binOf(magnitude, binWidth),
    since,
  }));
  const lowest = classes[0]?.bin ?? 0;
  const highest = mmax === undefined ? first + all.length - 1 : binOf(mmax, binWidth);
  const last =
    selection.filters.endTime ??
    counts
      .map(({ end }) => end)
      .sort()
      .at(-1);
  if (last === undefined) return noEstimate("there are no events", 0, 1);
  const end = decimalYear(Date.parse(last));
  const byBin = await countsSince(pool, selection, { binWidth, classes });
  const bins = Array.from({ length: Math.max(0, highest - lowest + 1) }, (_, i) => {
    const bin = lowest + i;
    const since = classes.findLast((one) => one.bin <= bin)?.since ?? end;
    const years = Math.max(0, end - since);
    return { magnitude: magnitudeOf(bin, binWidth), count: byBin.get(bin) ?? 0, years };
  });
  const outcome = weichert(bins);
  if (outcome.estimate === null) return outcome;
  const { n, b, sigma, annualRate } = outcome.estimate;
  const mc = magnitudeOf(lowest, binWidth);
  return {
    estimate: {
      mc,
      n,
      b,
      sigma,
      sigmaAki: b / Math.sqrt(n),
      bUnbiased: (b * (n - 1)) / n,
      aAnnual: Math.log10(annualRate) + b * mc,
      rate: annualRate,
    },
  };
}
