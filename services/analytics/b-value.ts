import type { Pool } from "pg";
import { decimalYear } from "#contracts/analytics/calendar.ts";
import {
  binOf,
  binsOf,
  histogramOfBins,
  histogramOfCounts,
  type MagnitudeHistogram,
  magnitudeOf,
} from "#contracts/analytics/histogram.ts";
import { invalid } from "#contracts/errors.ts";
import {
  type BEstimatorName,
  type BValueQuery,
  type CompletenessMethod,
  type FittedBin,
  MAGNITUDE_DEFAULTS,
} from "#contracts/http/analytics/magnitudes.ts";
import {
  type AnalysisWarning,
  BIN_WIDTH,
  type MagnitudeBin,
} from "#contracts/http/analytics/statistics.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { CompleteSince } from "#contracts/query/parameters.ts";
import {
  type BlockCount,
  type Blocks,
  countsSince,
  type MagnitudeCount,
  magnitudeBlocks,
  magnitudeCounts,
  magnitudeErrors,
  magnitudeExcess,
  magnitudeList,
  magnitudeRises,
} from "#projections/read/analytics/magnitudes.ts";
import type { AnalysisSelection } from "#projections/read/conditions.ts";
import {
  annualA,
  annualRate,
  type BEstimator,
  type BValue,
  estimateB,
  excessFrom,
  fitsByBin,
  weichert,
} from "../domain/analytics/magnitudes/b-value.ts";
import type { BootstrapOfB } from "../domain/analytics/magnitudes/bootstrap.ts";
import {
  byEntireRange,
  byGoodnessOfFit,
  byMaximumCurvature,
  byStability,
  byTest,
  type Completeness,
  type CompletenessOptions,
  type FoundCompleteness,
  isCut,
  type LawFit,
} from "../domain/analytics/magnitudes/completeness.ts";
import { type Estimate, noEstimate } from "../domain/analytics/numbers/numerics.ts";
import { typeFamily } from "../domain/events/magnitudes.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import type { GatewayThreads } from "../threads.ts";
import { analyse, analyseLong, countsOf, inputOfCounts } from "./analyse.ts";
import type { AnalysisTurn } from "./commands.ts";

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

type Parameters = BValueParameters & { readonly years: number | null };

/** b from the magnitude of completeness up, which is given or found first. */
async function estimateBValue(
  threads: Pick<GatewayThreads, "statistics">,
  data: MagnitudeData,
  parameters: Parameters,
) {
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

async function completenessFor(
  threads: Pick<GatewayThreads, "statistics">,
  data: MagnitudeData,
  { mc, mcMethod, ...options }: Parameters,
): Promise<{
  readonly outcome: Estimate<{ readonly mc: number }>;
  readonly warnings?: readonly AnalysisWarning[];
}> {
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

/** b of the magnitudes of one type, null where they are too few. */
type TypeFit = ReturnType<typeof typeFit>;

function typeFit(type: string | null, n: number, { estimate }: Estimate<BValue>) {
  return { type, n, b: estimate?.b ?? null, sigma: estimate?.sigma ?? null };
}

function several(types: readonly TypeFit[]): readonly TypeFit[] {
  return types.length > 1 ? types : [];
}

export const handlersOfCompleteness = (deps: HandlerDeps) =>
  ({
    getCompleteness: (call) => {
      const {
        method = MAGNITUDE_DEFAULTS.method,
        binWidth = BIN_WIDTH.default,
        correction = MAGNITUDE_DEFAULTS.correction,
        minEvents = MAGNITUDE_DEFAULTS.minEvents,
        estimator = MAGNITUDE_DEFAULTS.estimator,
        seed = MAGNITUDE_DEFAULTS.seed,
        per,
        windows,
      } = call.query;
      if (windows !== undefined && per !== "events") throw invalid("windows", "is for per=events");
      const options = { correction, minEvents, estimator, seed };
      const ignored = ignoredUpperBound(call.query);
      return analyseLong(deps, call, {
        method: "completeness",
        parameters: {
          method,
          binWidth,
          ...options,
          ...(per && { per, ...(windows && { windows }) }),
          ...ignored.parameters,
        },
        reference:
          method === "all"
            ? [...new Set(Object.values(COMPLETENESS_REFERENCES))].join("; ")
            : COMPLETENESS_REFERENCES[method],
        filters: withoutUpperBound,
        find: async (pool, selection, turn) => {
          const data = await readMagnitudes({ pool, selection, turn }, binWidth);
          const find = method === "all" ? byAllMethods : byMethod(method);
          const { outcome, fits = [], warnings = [] } = await find(deps.threads, data, options);
          const periods: readonly (LawFit | MagnitudePeriod)[] | undefined =
            per && (await magnitudePeriods(data, { per, windows }, options));
          return {
            input: inputOfCounts(data.counts, selection.filters),
            outcome,
            bins: binsOf(data.histogram),
            series: periods ?? fits,
            warnings: [
              ...warnings,
              ...magnitudeWarnings(data.counts, data.histogram),
              ...ignored.warnings,
            ],
          };
        },
      });
    },

    getMagnitudeFrequency: (call) => {
      const { binWidth = BIN_WIDTH.default, by } = call.query;
      return analyse(deps, call, {
        method: "magnitude-frequency",
        parameters: { binWidth, ...(by && { by }) },
        reference: "Gutenberg & Richter 1944",
        find: async (pool, selection) => {
          const counts = await magnitudeCounts(pool, selection, binWidth);
          const bins = binsOf(histogramOfCounts(counts, binWidth));
          return {
            input: inputOfCounts(counts, selection.filters),
            outcome: outcomeOf(bins),
            bins,
            ...(by && { series: seriesOfCounts(counts, binWidth) }),
          };
        },
      });
    },
  }) satisfies Partial<Handlers>;

type Methods = { readonly methods?: Readonly<Record<CompletenessMethod, Completeness | null>> };

type Find = (
  threads: Pick<GatewayThreads, "statistics">,
  data: MagnitudeData,
  options: SeededOptions,
) => Promise<
  Omit<FoundCompleteness, "outcome"> & { readonly outcome: Estimate<Completeness & Methods> }
>;

const byMethod =
  (method: CompletenessMethod): Find =>
  (threads, data, options) =>
    findCompleteness(threads, data, method, options);

/** Maximum curvature's result with what each method has found. */
const byAllMethods: Find = async (threads, data, options) => {
  const { outcome } = await findCompleteness(threads, data, "maxc", options);
  if (outcome.estimate === null) return { outcome };
  const by = async (method: CompletenessMethod) =>
    (await findCompleteness(threads, data, method, options)).outcome.estimate;
  const methods = {
    maxc: outcome.estimate,
    gft: await by("gft"),
    mbs: await by("mbs"),
    emr: await by("emr"),
    ks: await by("ks"),
    lilliefors: await by("lilliefors"),
  };
  return { outcome: { estimate: { ...outcome.estimate, methods } } };
};

type SeededOptions = CompletenessOptions & { readonly seed: number };

/** The papers of the methods. */
const COMPLETENESS_REFERENCES: Readonly<Record<CompletenessMethod, string>> = {
  maxc: "Wiemer & Wyss 2000",
  gft: "Wiemer & Wyss 2000",
  mbs: "Cao & Gao 2002; Woessner & Wiemer 2005",
  emr: "Woessner & Wiemer 2005",
  ks: "Clauset et al. 2009; Mizrahi et al. 2021",
  lilliefors: "Lilliefors 1969; Herrmann & Marzocchi 2021",
};

/** The magnitude of completeness by a method. Tests that draw or sort all magnitudes run in a thread. */
async function findCompleteness(
  threads: Pick<GatewayThreads, "statistics">,
  data: MagnitudeData,
  method: CompletenessMethod,
  options: SeededOptions,
): Promise<FoundCompleteness> {
  const { pool, selection, histogram, events, turn } = data;
  const { minEvents } = options;
  const { binWidth } = histogram;
  if (events < minEvents) {
    return { outcome: noEstimate("too few events have a magnitude", events, minEvents) };
  }
  switch (method) {
    case "maxc":
      return byMaximumCurvature(histogram, options);
    case "gft":
      return byGoodnessOfFit(histogram, options);
    case "mbs":
      return byStability(histogram, options);
    case "emr":
      return byEntireRange(histogram, options);
    case "ks": {
      turn.leave();
      const task = { histogram, ...options };
      const fits = await threads.statistics.run("testBySimulation", task, turn.asker);
      return byTest(fits, { binWidth, events });
    }
    case "lilliefors": {
      turn.leave();
      const { seed } = options;
      const read = async () => {
        const magnitudes = await magnitudeList(pool, selection);
        return { magnitudes, binWidth, minEvents, seed };
      };
      const fits = await threads.statistics.run("testExponential", read, turn.asker);
      return byTest(fits, { binWidth, events });
    }
    default:
      return method satisfies never;
  }
}

function outcomeOf(bins: readonly MagnitudeBin[]) {
  const [first] = bins;
  const last = bins.at(-1);
  if (first === undefined || last === undefined) {
    return { estimate: null, reason: "no event has a magnitude", n: 0, required: 1 } as const;
  }
  const { magnitude: minMagnitude, cumulative: n } = first;
  return { estimate: { n, minMagnitude, maxMagnitude: last.magnitude } };
}

/** The distribution of each magnitude type, the most frequent first. */
function seriesOfCounts(counts: Awaited<ReturnType<typeof magnitudeCounts>>, binWidth: number) {
  const known = counts.filter(({ value }) => value !== null);
  return countsOf(known.map(({ type, count }) => [type, count])).map(({ type, n }) => {
    const name = type?.toLowerCase() ?? null;
    const ofType = known.filter((count) => (count.type?.toLowerCase() ?? null) === name);
    return { type, n, bins: binsOf(histogramOfCounts(ofType, binWidth)) };
  });
}

/** The events of an analysis, and their magnitudes in bins. */
type MagnitudeData = {
  readonly pool: Pick<Pool, "query">;
  readonly selection: AnalysisSelection;
  readonly counts: readonly MagnitudeCount[];
  readonly histogram: MagnitudeHistogram;
  /** Events with a magnitude. */
  readonly events: number;
  readonly turn: AnalysisTurn;
};

/** @param binWidth magnitude units; where magnitudes are taken as they are, 0, bins have the default width */
async function readMagnitudes(
  { pool, selection, turn }: Pick<MagnitudeData, "pool" | "selection" | "turn">,
  binWidth: number,
): Promise<MagnitudeData> {
  const width = binWidth === 0 ? BIN_WIDTH.default : binWidth;
  const counts = await magnitudeCounts(pool, selection, width);
  const histogram = histogramOfCounts(counts, width);
  const events = histogram.counts.reduce((sum, count) => sum + count, 0);
  return { pool, selection, turn, counts, histogram, events };
}

/** Half a period. */
const HALF = { months: 30, events: 250 } as const;

const REQUIRED = 50;

type PeriodOptions = {
  readonly per: "years" | "events";
  /** Of stretches of events, at most. */
  readonly windows?: number | undefined;
};

/**
 * Completeness by maximum curvature and b for each 5 years or 500 events, or for as many more events as it
 * takes to have no more than `windows`; they begin every half of that.
 */
async function magnitudePeriods(
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

/** A part of the time of a catalogue, from its first event to the last; mc, b and its error are null for too few events. */
type MagnitudePeriod = ReturnType<typeof periodOf>;

function periodOf(rows: readonly BlockCount[], binWidth: number, options: CompletenessOptions) {
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

/** What has to be known of every fit to these magnitudes. */
function magnitudeWarnings(
  counts: readonly MagnitudeCount[],
  histogram: MagnitudeHistogram,
): AnalysisWarning[] {
  const warnings: AnalysisWarning[] = [];
  const types = [...familiesOf(counts).keys()].map((family) => family ?? "no type");
  if (types.length > 1) {
    const message = `the magnitudes are of ${types.length} types, which need not agree: ${types.join(", ")}`;
    warnings.push({ code: "MIXED_MAGNITUDE_TYPES", message });
  }
  if (isCut(histogram)) {
    const message =
      "the most frequent magnitude is nearly the lowest: the catalogue seems to be cut off below";
    warnings.push({ code: "CATALOGUE_CUT", message });
  }
  return warnings;
}

const SMALL = 50;

function smallSampleWarning(n: number): AnalysisWarning[] {
  if (n >= SMALL) return [];
  const error = Math.round(100 / Math.sqrt(n));
  const message = `${n} events are few: the error of b is about ${error} percent`;
  return [{ code: "SMALL_SAMPLE", message }];
}

/** The counts of events with a magnitude by family of their type, the most frequent first. */
function familiesOf(
  counts: readonly MagnitudeCount[],
): ReadonlyMap<string | null, readonly MagnitudeCount[]> {
  const families = Map.groupBy(
    counts.filter(({ value }) => value !== null),
    ({ type }) => typeFamily(type),
  );
  const size = (of: readonly MagnitudeCount[]) => of.reduce((sum, { count }) => sum + count, 0);
  return new Map([...families].toSorted(([, a], [, b]) => size(b) - size(a)));
}

/** An upper bound of the magnitudes would make b too large, so fits are made without it. */
function withoutUpperBound({ maxMagnitude: _, ...filters }: EventFilters): EventFilters {
  return filters;
}

/** What an answer says of an upper bound that was given: among its parameters, and as a warning. */
function ignoredUpperBound({ maxMagnitude }: EventFilters) {
  if (maxMagnitude === undefined) return { parameters: {}, warnings: [] };
  const message =
    "maxMagnitude is not applied: a fit to magnitudes cut off above gives too large a b";
  return {
    parameters: { ignored: ["maxMagnitude"] },
    warnings: [{ code: "MAX_MAGNITUDE_IGNORED", message }],
  };
}
