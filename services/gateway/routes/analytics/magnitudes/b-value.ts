import type { BEstimatorName, FittedBin } from "#contracts/http/analytics/magnitudes.ts";
import { binOf, binsOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { annualRate, fitsByBin } from "#services/domain/analytics/magnitudes/b-value.ts";
import type { MakeAnalysis } from "../analysis/analyse.ts";
import { analyseLong } from "../analysis/analyse-long.ts";
import { inputOfCounts } from "../analysis/input.ts";
import { type BValueParameters, bValueParameters } from "./b-value-parameters.ts";
import { binnedEstimator, estimateBValue } from "./estimate-b-value.ts";
import type { BEstimate, TypeFit } from "./fit-b.ts";
import { type MagnitudeData, readMagnitudes } from "./magnitude-data.ts";
import { type MagnitudePeriod, magnitudePeriods } from "./magnitude-periods.ts";
import {
  ignoredUpperBound,
  magnitudeWarnings,
  smallSampleWarning,
  withoutUpperBound,
} from "./magnitude-warnings.ts";

const REFERENCES: Readonly<Record<BEstimatorName, string>> = {
  "tinti-mulargia": "Tinti & Mulargia 1987",
  utsu: "Utsu 1966",
  aki: "Aki 1965",
  "b-positive": "van der Elst 2021",
  weichert: "Weichert 1980",
};

export const getBValueHandler: MakeAnalysis<"getBValue", "threads" | "runner"> =
  (deps) => (call) => {
    const parameters = bValueParameters(call.query);
    const ignored = ignoredUpperBound(call.query);
    return analyseLong(deps, call, {
      method: "b-value",
      parameters: { ...parameters, ...ignored.parameters },
      reference: REFERENCES[parameters.estimator],
      filters: withoutUpperBound,
      find: async (pool, selection, turn) => {
        const data = await readMagnitudes({ pool, selection, turn }, parameters.binWidth);
        const input = inputOfCounts(data.counts, selection.filters);
        const fit = await estimateBValue(deps.threads, data, {
          ...parameters,
          years: input.years,
        });
        const { estimate } = fit.outcome;
        const series: readonly SeriesItem[] = (await seriesOf(data, parameters)) ?? fit.types;
        return {
          input,
          outcome: fit.outcome,
          bins: estimate === null ? [] : fittedBins(data, estimate),
          ...(series.length > 0 && { series }),
          warnings: [
            ...fit.warnings,
            ...(estimate === null ? [] : smallSampleWarning(estimate.n)),
            ...magnitudeWarnings(data.counts, data.histogram),
            ...ignored.warnings,
          ],
        };
      },
    });
  };

type SeriesItem =
  | MagnitudePeriod
  | TypeFit
  | { readonly mc: number; readonly n: number; readonly b: number; readonly sigma: number };

/** The bins from Mc up, with the rates that the law has for them. */
function fittedBins({ histogram }: MagnitudeData, { mc, b, aAnnual }: BEstimate): FittedBin[] {
  const first = binOf(mc, histogram.binWidth);
  return binsOf(histogram)
    .filter(({ magnitude }) => binOf(magnitude, histogram.binWidth) >= first)
    .map((bin) => ({
      ...bin,
      annualRate: aAnnual === null ? null : annualRate(bin.magnitude, { a: aAnnual, b }),
    }));
}

async function seriesOf(
  data: MagnitudeData,
  { series, per = "years", windows, ...parameters }: BValueParameters,
) {
  const options = { ...parameters, estimator: binnedEstimator(parameters.estimator) };
  if (series === "time") return magnitudePeriods(data, { per, windows }, options);
  if (series !== "mc") return null;
  return fitsByBin(data.histogram, options).map(({ bin, n, b, sigma }) => ({
    mc: magnitudeOf(bin, data.histogram.binWidth),
    n,
    b,
    sigma,
  }));
}
