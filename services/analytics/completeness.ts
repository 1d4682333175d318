import type { Pool } from "pg";
import {
  binOf,
  binsOf,
  histogramOfBins,
  histogramOfCounts,
  type MagnitudeHistogram,
} from "#contracts/analytics/histogram.ts";
import { invalid } from "#contracts/errors.ts";
import {
  type CompletenessMethod,
  MAGNITUDE_DEFAULTS,
} from "#contracts/http/analytics/magnitudes.ts";
import {
  type AnalysisWarning,
  BIN_WIDTH,
  type MagnitudeBin,
} from "#contracts/http/analytics/statistics.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import {
  type BlockCount,
  type Blocks,
  type MagnitudeCount,
  magnitudeBlocks,
  magnitudeCounts,
  magnitudeList,
} from "#projections/read/analytics/magnitudes.ts";
import type { AnalysisSelection } from "#projections/read/conditions.ts";
import { estimateB, excessFrom } from "#services/domain/analytics/magnitudes/b-value.ts";
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
} from "#services/domain/analytics/magnitudes/completeness.ts";
import { type Estimate, noEstimate } from "#services/domain/analytics/numbers/numerics.ts";
import { typeFamily } from "#services/domain/events/magnitudes.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import type { GatewayThreads } from "../threads.ts";
import { analyse, analyseLong, countsOf, inputOfCounts } from "./analyse.ts";
import type { AnalysisTurn } from "./commands.ts";

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
            ...(by && { series: seriesOf(counts, binWidth) }),
            warnings: [],
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
export async function findCompleteness(
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
function seriesOf(counts: Awaited<ReturnType<typeof magnitudeCounts>>, binWidth: number) {
  const known = counts.filter(({ value }) => value !== null);
  return countsOf(known.map(({ type, count }) => [type, count])).map(({ type, n }) => {
    const name = type?.toLowerCase() ?? null;
    const ofType = known.filter((count) => (count.type?.toLowerCase() ?? null) === name);
    return { type, n, bins: binsOf(histogramOfCounts(ofType, binWidth)) };
  });
}

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

/** What has to be known of every fit to these magnitudes. */
export function magnitudeWarnings(
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

export function smallSampleWarning(n: number): AnalysisWarning[] {
  if (n >= SMALL) return [];
  const error = Math.round(100 / Math.sqrt(n));
  const message = `${n} events are few: the error of b is about ${error} percent`;
  return [{ code: "SMALL_SAMPLE", message }];
}

/** The counts of events with a magnitude by family of their type, the most frequent first. */
export function familiesOf(
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
export function withoutUpperBound({ maxMagnitude: _, ...filters }: EventFilters): EventFilters {
  return filters;
}

/** What an answer says of an upper bound that was given: among its parameters, and as a warning. */
export function ignoredUpperBound({ maxMagnitude }: EventFilters): {
  readonly parameters: { readonly ignored?: readonly string[] };
  readonly warnings: readonly AnalysisWarning[];
} {
  if (maxMagnitude === undefined) return { parameters: {}, warnings: [] };
  const message =
    "maxMagnitude is not applied: a fit to magnitudes cut off above gives too large a b";
  return {
    parameters: { ignored: ["maxMagnitude"] },
    warnings: [{ code: "MAX_MAGNITUDE_IGNORED", message }],
  };
}
