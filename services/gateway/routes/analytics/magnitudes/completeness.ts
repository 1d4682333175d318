import { invalid } from "#contracts/errors.ts";
import { BIN_WIDTH } from "#contracts/http/analytics/analytics.ts";
import {
  type CompletenessMethod,
  MAGNITUDE_DEFAULTS,
} from "#contracts/http/analytics/magnitudes.ts";
import { binsOf } from "#contracts/magnitude-histogram.ts";
import type { Estimate } from "#services/domain/analytics/estimate.ts";
import type {
  Completeness,
  FoundCompleteness,
  LawFit,
} from "#services/domain/analytics/magnitudes/completeness.ts";
import type { GatewayThreads } from "../../../threads/gateway-threads.ts";
import type { MakeAnalysis } from "../analysis/analyse.ts";
import { analyseLong } from "../analysis/analyse-long.ts";
import { inputOfCounts } from "../analysis/input.ts";
import {
  COMPLETENESS_REFERENCES,
  findCompleteness,
  type SeededOptions,
} from "./find-completeness.ts";
import { type MagnitudeData, readMagnitudes } from "./magnitude-data.ts";
import { type MagnitudePeriod, magnitudePeriods } from "./magnitude-periods.ts";
import { ignoredUpperBound, magnitudeWarnings, withoutUpperBound } from "./magnitude-warnings.ts";

export const getCompletenessHandler: MakeAnalysis<"getCompleteness", "threads" | "runner"> =
  (deps) => (call) => {
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
  };

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
