import type { AnalysisWarning } from "#contracts/http/analytics/analytics.ts";
import type { BEstimatorName } from "#contracts/http/analytics/magnitudes.ts";
import { binOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { decimalYear } from "#contracts/query/calendar-units.ts";
import type { CompleteSince } from "#contracts/query/complete-years.ts";
import { countsSince, magnitudeErrors } from "#projections/read/analytics/magnitudes.ts";
import { type Estimate, noEstimate } from "#services/domain/analytics/estimate.ts";
import { annualA, type BValue, weichert } from "#services/domain/analytics/magnitudes/b-value.ts";
import type { BootstrapOfB } from "#services/domain/analytics/magnitudes/bootstrap.ts";
import type { GatewayThreads } from "../../../threads/gateway-threads.ts";
import type { BValueParameters } from "./b-value-parameters.ts";
import { findCompleteness } from "./find-completeness.ts";
import {
  type BEstimate,
  type FoundB,
  fitBinned,
  fitContinuous,
  fitRises,
  type TypeFit,
} from "./fit-b.ts";
import type { MagnitudeData } from "./magnitude-data.ts";

export type FoundBEstimate = {
  readonly outcome: Estimate<BEstimate>;
  readonly types: readonly TypeFit[];
  readonly warnings: readonly AnalysisWarning[];
};

type Parameters = BValueParameters & { readonly years: number | null };

/** b from the magnitude of completeness up, which is given or found first. */
export async function estimateBValue(
  threads: Pick<GatewayThreads, "statistics">,
  data: MagnitudeData,
  parameters: Parameters,
): Promise<FoundBEstimate> {
  const { complete, mmax, binWidth } = parameters;
  if (complete) {
    const outcome = await fitWeichert(data, { complete, mmax });
    return { outcome, types: [], warnings: [] };
  }
  const { outcome: completeness, warnings = [] } = await completenessFor(threads, data, parameters);
  if (completeness.estimate === null) return { outcome: completeness, types: [], warnings };
  const { mc: exact } = completeness.estimate;
  const mc = binWidth === 0 ? exact : magnitudeOf(binOf(exact, binWidth), binWidth);
  const { outcome, types } = await fitWith(data, mc, parameters);
  if (outcome.estimate === null) return { outcome, types, warnings };
  const bootstrap = await bootstrapFor(threads, data, mc, parameters);
  const estimate = { mc, ...outcome.estimate, ...ratesOf(mc, outcome.estimate, parameters) };
  return {
    outcome: { estimate: { ...estimate, ...(bootstrap && { bootstrap }) } },
    types,
    warnings,
  };
}

type MagnitudeOfCompleteness = {
  readonly outcome: Estimate<{ readonly mc: number }>;
  readonly warnings?: readonly AnalysisWarning[];
};

async function completenessFor(
  threads: Pick<GatewayThreads, "statistics">,
  data: MagnitudeData,
  { mc, mcMethod, ...options }: Parameters,
): Promise<MagnitudeOfCompleteness> {
  if (mc !== undefined) return { outcome: { estimate: { mc } } };
  if (mcMethod === undefined)
    return { outcome: noEstimate("there is no magnitude of completeness", 0, 1) };
  const estimator = binnedEstimator(options.estimator);
  return findCompleteness(threads, data, mcMethod, { ...options, estimator });
}

async function fitWith(data: MagnitudeData, mc: number, parameters: Parameters): Promise<FoundB> {
  const { estimator, binWidth, dc = binWidth } = parameters;
  if (estimator === "b-positive") return fitRises(data, mc, dc);
  if (estimator === "aki" || binWidth === 0) return fitContinuous(data, mc);
  return fitBinned(data, mc, binnedEstimator(estimator));
}

/** Rises are not the events of the catalogue, so there is no rate with their b. */
function ratesOf(mc: number, { n, b }: BValue, { estimator, years }: Parameters) {
  if (estimator === "b-positive" || !years) return { aAnnual: null, rate: null };
  return { aAnnual: annualA(n, { b, mc, years }), rate: n / years };
}

async function bootstrapFor(
  threads: Pick<GatewayThreads, "statistics">,
  { histogram, turn, pool, selection }: MagnitudeData,
  mc: number,
  { estimator, bootstrap, magnitudeErrors: isMoved, seed }: Parameters,
): Promise<BootstrapOfB | undefined> {
  if (bootstrap === undefined) return undefined;
  const { binWidth } = histogram;
  const bin = binOf(mc, binWidth);
  const options = { estimator: binnedEstimator(estimator), samples: bootstrap, seed };
  if (isMoved) {
    const classes = await magnitudeErrors(pool, selection);
    turn.leave();
    const task = { classes, binWidth, bin, ...options };
    return threads.statistics.run("bootstrapMovedB", task, turn.asker);
  }
  turn.leave();
  return threads.statistics.run("bootstrapB", { histogram, bin, ...options }, turn.asker);
}

/** The estimator that can be applied to a histogram in place of another. */
export function binnedEstimator(estimator: BEstimatorName): "tinti-mulargia" | "utsu" {
  return estimator === "utsu" ? "utsu" : "tinti-mulargia";
}

/** b by Weichert, with the lowest complete magnitude as Mc. @param mmax the largest observed by default */
async function fitWeichert(
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
