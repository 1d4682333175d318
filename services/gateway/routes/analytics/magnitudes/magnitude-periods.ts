import { binOf, histogramOfBins } from "#contracts/magnitude-histogram.ts";
import {
  type BlockCount,
  type Blocks,
  magnitudeBlocks,
} from "#projections/read/analytics/magnitudes.ts";
import { estimateB, excessFrom } from "#services/domain/analytics/magnitudes/b-value.ts";
import {
  byMaximumCurvature,
  type CompletenessOptions,
} from "#services/domain/analytics/magnitudes/completeness.ts";
import type { MagnitudeData } from "./magnitude-data.ts";

/** Half a period. */
const HALF = { months: 30, events: 250 } as const;

const REQUIRED = 50;

/** A part of the time of a catalogue. */
export type MagnitudePeriod = {
  /** Of the first event and the last. */
  readonly start: string;
  readonly end: string;
  readonly n: number;
  /** Null for too few events, as b and its error. */
  readonly mc: number | null;
  readonly b: number | null;
  readonly sigma: number | null;
};

export type PeriodOptions = {
  readonly per: "years" | "events";
  /** Of stretches of events, at most. */
  readonly windows?: number | undefined;
};

/**
 * Completeness by maximum curvature and b for each 5 years or 500 events, or for as many more events as it
 * takes to have no more than `windows`; they begin every half of that.
 */
export async function magnitudePeriods(
  { pool, selection, counts, histogram: { binWidth }, events }: MagnitudeData,
  { per, windows = Infinity }: PeriodOptions,
  options: CompletenessOptions,
): Promise<MagnitudePeriod[]> {
  const [first = "1970"] = counts.map(({ start }) => start).sort();
  const blocks: Blocks =
    per === "years"
      ? { months: HALF.months, sinceYear: Number(first.slice(0, 4)) }
      : { events: Math.max(HALF.events, Math.ceil(events / (windows + 1))) };
  const rows = await magnitudeBlocks(pool, selection, { binWidth, blocks });
  const byBlock = Map.groupBy(rows, ({ block }) => block);
  const last = Math.max(1, ...byBlock.keys());
  const periods: MagnitudePeriod[] = [];
  for (let block = 0; block < last; block++) {
    const both = [...(byBlock.get(block) ?? []), ...(byBlock.get(block + 1) ?? [])];
    if (both.length > 0) periods.push(periodOf(both, binWidth, options));
  }
  return periods;
}

function periodOf(
  rows: readonly BlockCount[],
  binWidth: number,
  options: CompletenessOptions,
): MagnitudePeriod {
  const byBin = new Map<number, number>();
  for (const { bin, count } of rows) byBin.set(bin, (byBin.get(bin) ?? 0) + count);
  const histogram = histogramOfBins(byBin, binWidth);
  const n = histogram.counts.reduce((sum, count) => sum + count, 0);
  const start = rows.reduce((least, row) => (row.start < least ? row.start : least), "~");
  const end = rows.reduce((most, row) => (row.end > most ? row.end : most), "");
  const none = { start, end, n, mc: null, b: null, sigma: null };
  const completeness =
    n < REQUIRED ? null : byMaximumCurvature(histogram, options).outcome.estimate;
  if (completeness === null) return none;
  const excess = excessFrom(histogram, binOf(completeness.mc, binWidth));
  const fit = estimateB(excess, options.estimator, binWidth).estimate;
  return { ...none, mc: completeness.mc, b: fit?.b ?? null, sigma: fit?.sigma ?? null };
}
