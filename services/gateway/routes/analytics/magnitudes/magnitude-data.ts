import type { Pool } from "pg";
import { BIN_WIDTH } from "#contracts/http/analytics/analytics.ts";
import { histogramOfCounts, type MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import { type MagnitudeCount, magnitudeCounts } from "#projections/read/analytics/magnitudes.ts";
import type { AnalysisSelection } from "#projections/read/conditions.ts";
import type { AnalysisTurn } from "../../../http/kept-analyses.ts";

/** The events of an analysis, and their magnitudes in bins. */
export type MagnitudeData = {
  readonly pool: Pick<Pool, "query">;
  readonly selection: AnalysisSelection;
  readonly counts: readonly MagnitudeCount[];
  readonly histogram: MagnitudeHistogram;
  /** Events with a magnitude. */
  readonly events: number;
  readonly turn: AnalysisTurn;
};

/** @param binWidth magnitude units; where magnitudes are taken as they are, 0, bins have the default width */
export async function readMagnitudes(
  { pool, selection, turn }: Pick<MagnitudeData, "pool" | "selection" | "turn">,
  binWidth: number,
): Promise<MagnitudeData> {
  const width = binWidth === 0 ? BIN_WIDTH.default : binWidth;
  const counts = await magnitudeCounts(pool, selection, width);
  const histogram = histogramOfCounts(counts, width);
  const events = histogram.counts.reduce((sum, count) => sum + count, 0);
  return { pool, selection, turn, counts, histogram, events };
}
