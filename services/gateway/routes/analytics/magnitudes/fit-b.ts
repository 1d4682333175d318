import { binOf, histogramOfBins, histogramOfCounts } from "#contracts/magnitude-histogram.ts";
import { magnitudeExcess, magnitudeRises } from "#projections/read/analytics/magnitudes.ts";
import type { Estimate } from "#services/domain/analytics/estimate.ts";
import {
  type BEstimator,
  type BValue,
  estimateB,
  excessFrom,
} from "#services/domain/analytics/magnitudes/b-value.ts";
import type { BootstrapOfB } from "#services/domain/analytics/magnitudes/bootstrap.ts";
import { typeFamily } from "#services/domain/events/magnitudes.ts";
import type { MagnitudeData } from "./magnitude-data.ts";
import { familiesOf } from "./magnitude-warnings.ts";

/** b of the magnitudes of one type, null where they are too few. */
export type TypeFit = {
  readonly type: string | null;
  readonly n: number;
  readonly b: number | null;
  readonly sigma: number | null;
};

/** b with its magnitude of completeness, and a and the rate of events per year where they are known. */
export type BEstimate = BValue & {
  readonly mc: number;
  readonly aAnnual: number | null;
  readonly rate: number | null;
  readonly bootstrap?: BootstrapOfB;
};

export type FoundB = {
  readonly outcome: Estimate<BValue>;
  /** Where there are several types, the most frequent first. */
  readonly types: readonly TypeFit[];
};

/** b of binned magnitudes from Mc up, also of each type. */
export function fitBinned(
  { counts, histogram }: MagnitudeData,
  mc: number,
  estimator: BEstimator,
): FoundB {
  const { binWidth } = histogram;
  const bin = binOf(mc, binWidth);
  const types = [...familiesOf(counts)].map(([type, ofType]) => {
    const excess = excessFrom(histogramOfCounts(ofType, binWidth), bin);
    return typeFit(type, excess.n, estimateB(excess, estimator, binWidth));
  });
  return {
    outcome: estimateB(excessFrom(histogram, bin), estimator, binWidth),
    types: several(types),
  };
}

/** b of the magnitudes as they are, m ≥ Mc (Aki 1965); of each type as it is written. */
export async function fitContinuous(
  { pool, selection }: MagnitudeData,
  mc: number,
): Promise<FoundB> {
  const rows = await magnitudeExcess(pool, selection, mc);
  const none = { n: 0, filled: 0, mean: Number.NaN, squares: 0 };
  const pooled = rows.find(({ all }) => all) ?? none;
  const types = rows
    .filter(({ all }) => !all)
    .toSorted((a, b) => b.n - a.n)
    .map((row) => typeFit(row.type, row.n, estimateB(row, "aki", 0)));
  const isMixed = new Set(types.map(({ type }) => typeFamily(type))).size > 1;
  return { outcome: estimateB(pooled, "aki", 0), types: isMixed ? types : [] };
}

/** b of the rises of magnitude from one event to the next, at least `dc`. */
export async function fitRises(
  { pool, selection, histogram: { binWidth } }: MagnitudeData,
  mc: number,
  dc: number,
): Promise<FoundB> {
  const least = Math.max(1, binOf(dc, binWidth));
  const from = binOf(mc, binWidth);
  const rises = await magnitudeRises(pool, selection, { binWidth, from, least });
  const excess = excessFrom(histogramOfBins(rises, binWidth), least);
  return { outcome: estimateB(excess, "tinti-mulargia", binWidth), types: [] };
}

function typeFit(type: string | null, n: number, { estimate }: Estimate<BValue>): TypeFit {
  return { type, n, b: estimate?.b ?? null, sigma: estimate?.sigma ?? null };
}

function several(types: readonly TypeFit[]): readonly TypeFit[] {
  return types.length > 1 ? types : [];
}
