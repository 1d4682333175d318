import { decimalYear } from "#contracts/analytics/calendar.ts";
import {
  binOf,
  binsOf,
  histogramOfBins,
  histogramOfCounts,
  magnitudeOf,
} from "#contracts/analytics/histogram.ts";
import { invalid } from "#contracts/errors.ts";
import {
  type BEstimatorName,
  type BValueQuery,
  type FittedBin,
  MAGNITUDE_DEFAULTS,
} from "#contracts/http/analytics/magnitudes.ts";
import { type AnalysisWarning, BIN_WIDTH } from "#contracts/http/analytics/statistics.ts";
import type { CompleteSince } from "#contracts/query/parameters.ts";
import {
  countsSince,
  magnitudeErrors,
  magnitudeExcess,
  magnitudeRises,
} from "#projections/read/analytics/magnitudes.ts";
import {
  annualA,
  annualRate,
  type BEstimator,
  type BValue,
  estimateB,
  excessFrom,
  fitsByBin,
  weichert,
} from "#services/domain/analytics/magnitudes/b-value.ts";
import type { BootstrapOfB } from "#services/domain/analytics/magnitudes/bootstrap.ts";
import { type Estimate, noEstimate } from "#services/domain/analytics/numbers/numerics.ts";
import { typeFamily } from "#services/domain/events/magnitudes.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import type { GatewayThreads } from "../threads.ts";
import { analyseLong, inputOfCounts } from "./analyse.ts";
import {
  familiesOf,
  findCompleteness,
  ignoredUpperBound,
  type MagnitudeData,
  type MagnitudePeriod,
  magnitudePeriods,
  magnitudeWarnings,
  readMagnitudes,
  smallSampleWarning,
  withoutUpperBound,
} from "./completeness.ts";

export const handlersOfBValue = (deps: HandlerDeps) =>
  ({
    getBValue: (call) => {
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
    },
  }) satisfies Partial<Handlers>;

const REFERENCES: Readonly<Record<BEstimatorName, string>> = {
  "tinti-mulargia": "Tinti & Mulargia 1987",
  utsu: "Utsu 1966",
  aki: "Aki 1965",
  "b-positive": "van der Elst 2021",
  weichert: "Weichert 1980",
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

type Chosen = Pick<
  BValueQuery,
  "mc" | "mcMethod" | "dc" | "complete" | "mmax" | "series" | "per" | "windows" | "bootstrap"
>;
type Always = "estimator" | "binWidth" | "minEvents" | "correction" | "seed";

/** The parameters of a b-value with their defaults, those alone that its estimator takes. */
type BValueParameters = Chosen & {
  readonly [Name in Always]: NonNullable<BValueQuery[Name]>;
} & {
  /** Whether the bootstrap moves magnitudes by their uncertainties. */
  readonly magnitudeErrors?: true;
};

/** @throws Refusal VALIDATION_ERROR for parameters that do not go together */
function bValueParameters(query: BValueQuery): BValueParameters {
  const {
    estimator = MAGNITUDE_DEFAULTS.estimator,
    binWidth = BIN_WIDTH.default,
    correction = MAGNITUDE_DEFAULTS.correction,
    minEvents = MAGNITUDE_DEFAULTS.minEvents,
    seed = MAGNITUDE_DEFAULTS.seed,
    mcMethod = MAGNITUDE_DEFAULTS.method,
    mc,
    dc,
    complete,
    mmax,
    series,
    per,
    windows,
    bootstrap,
    magnitudeErrors,
  } = query;
  const isWeichert = estimator === "weichert";
  const isBinned = ["tinti-mulargia", "utsu"].includes(estimator) && binWidth > 0;
  refuse("dc", dc !== undefined && estimator !== "b-positive", "is for estimator=b-positive");
  refuse("complete", complete !== undefined && !isWeichert, "is for estimator=weichert");
  refuse("complete", complete === undefined && isWeichert, "estimator=weichert needs it");
  refuse("mmax", mmax !== undefined && !isWeichert, "is for estimator=weichert");
  refuse("mc", mc !== undefined && isWeichert, "estimator=weichert takes complete instead");
  refuse("mc", mc !== undefined && query.mcMethod !== undefined, "and mcMethod exclude each other");
  refuse("mcMethod", query.mcMethod !== undefined && isWeichert, "is not for estimator=weichert");
  refuse("bootstrap", bootstrap !== undefined && !isBinned, "needs binned magnitudes");
  refuse(
    "magnitudeErrors",
    magnitudeErrors !== undefined && bootstrap === undefined,
    "is for bootstrap",
  );
  refuse(
    "binWidth",
    binWidth === 0 && (isWeichert || estimator === "b-positive"),
    `estimator=${estimator} needs bins`,
  );
  refuse("per", per !== undefined && series !== "time", "is for series=time");
  refuse("windows", windows !== undefined && per !== "events", "is for per=events");
  return {
    estimator,
    binWidth,
    minEvents,
    correction,
    ...(!isWeichert && (mc === undefined ? { mcMethod } : { mc })),
    ...(estimator === "b-positive" && { dc: dc ?? binWidth }),
    ...(complete && { complete }),
    ...(mmax !== undefined && { mmax }),
    ...(series && { series }),
    ...(series === "time" && { per: per ?? "years" }),
    ...(windows !== undefined && { windows }),
    ...(bootstrap !== undefined && { bootstrap }),
    ...(magnitudeErrors === "true" && { magnitudeErrors: true }),
    seed,
  };
}

function refuse(field: string, isWrong: boolean, message: string): void {
  if (isWrong) throw invalid(field, message);
}

export type FoundBEstimate = {
  readonly outcome: Estimate<BEstimate>;
  readonly types: readonly TypeFit[];
  readonly warnings: readonly AnalysisWarning[];
};

type Parameters = BValueParameters & { readonly years: number | null };

/** b from the magnitude of completeness up, which is given or found first. */
async function estimateBValue(
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
function binnedEstimator(estimator: BEstimatorName): "tinti-mulargia" | "utsu" {
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

/** b of the magnitudes of one type, null where they are too few. */
type TypeFit = {
  readonly type: string | null;
  readonly n: number;
  readonly b: number | null;
  readonly sigma: number | null;
};

/** b with its magnitude of completeness, and a and the rate of events per year where they are known. */
type BEstimate = BValue & {
  readonly mc: number;
  readonly aAnnual: number | null;
  readonly rate: number | null;
  readonly bootstrap?: BootstrapOfB;
};

type FoundB = {
  readonly outcome: Estimate<BValue>;
  /** Where there are several types, the most frequent first. */
  readonly types: readonly TypeFit[];
};

/** b of binned magnitudes from Mc up, also of each type. */
function fitBinned(
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
async function fitContinuous({ pool, selection }: MagnitudeData, mc: number): Promise<FoundB> {
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
async function fitRises(
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
