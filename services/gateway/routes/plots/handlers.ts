import { BIN_WIDTH } from "#contracts/http/analytics/analytics.ts";
import { magnitudesOverTime } from "#projections/read/analytics/magnitudes.ts";
import { room } from "../../http/room.ts";
import { analyse, type MakeAnalysis } from "../analytics/analysis/analyse.ts";
import { inputOfAll } from "../analytics/analysis/input.ts";
import { getBValueHandler } from "../analytics/magnitudes/b-value.ts";
import { getCompletenessHandler } from "../analytics/magnitudes/completeness.ts";
import { getMagnitudeFrequencyHandler } from "../analytics/magnitudes/magnitude-frequency.ts";
import type { MakeHandler } from "../make-handler.ts";
import { plotAnswer } from "./plot-answer.ts";
import {
  plotDensityHandler,
  plotDepthsHandler,
  plotNearestNeighbourHandler,
  plotOmoriHandler,
  plotRatesHandler,
} from "./plot-one.ts";

/**
 * That are shown as dots; of more these would hide each other, and a part of them would tell of gaps that
 * are none: they are counted by time and magnitude.
 */
const MOST_EVENTS = 3_000;
/** Of more, shown as dots over the numbers of all. */
const LARGEST = 100;

const plotTimeMagnitudeHandler: MakeAnalysis<
  "plotTimeMagnitude",
  "threads" | "runner" | "versionHistories" | "publicBaseUrl"
> = (deps) => async (call) => {
  const events = await analyse(deps, call, {
    method: "time-magnitude",
    parameters: { events: MOST_EVENTS, largest: LARGEST },
    reference: null,
    find: async (pool, selection) => {
      const shown = { most: MOST_EVENTS, largest: LARGEST };
      const { n, start, end, events, bins } = await magnitudesOverTime(pool, selection, shown);
      return {
        ...(bins && { bins }),
        input: inputOfAll({ count: n, start, end }, selection.filters),
        outcome:
          n === 0
            ? { estimate: null, reason: "no event has a magnitude", n, required: 1 }
            : { estimate: { n } },
        series: events,
        warnings: [],
      };
    },
  });
  const { version } = events.body;
  const query = { ...call.query, asOf: String(version) };
  const fit = atOnce(await getBValueHandler(deps)({ ...call, query, prefersAsync: false }));
  return plotAnswer(deps, call, "time-magnitude", { events, fit }, version);
};

type Needs = "reads" | "keptAnalyses" | "threads" | "runner" | "versionHistories" | "publicBaseUrl";

const plotMagnitudeFrequencyHandler: MakeHandler<"plotMagnitudeFrequency", Needs> =
  (deps) => async (call) => {
    const { by, ...ofFit } = call.query;
    const fit = atOnce(
      await getBValueHandler(deps)({ ...call, query: ofFit, prefersAsync: false }),
    );
    const { version } = fit.body;
    // Bins need a width also where the fit takes magnitudes as they are.
    const binWidth = call.query.binWidth || BIN_WIDTH.default;
    const query = { ...call.query, asOf: String(version), binWidth };
    const frequency = await getMagnitudeFrequencyHandler(deps)({ ...call, query });
    return plotAnswer(deps, call, "magnitude-frequency", { frequency, fit }, version);
  };

const plotCompletenessHandler: MakeHandler<"plotCompleteness", Needs> = (deps) => async (call) => {
  const getCompleteness = getCompletenessHandler(deps);
  const direct = { ...call, prefersAsync: false };
  const completeness = atOnce(await getCompleteness(direct));
  const { version } = completeness.body;
  const { method: _method, ...ofFit } = { ...call.query, asOf: String(version) };
  const goodness = atOnce(await getCompleteness({ ...direct, query: { ...ofFit, method: "gft" } }));
  const stability = atOnce(
    await getBValueHandler(deps)({ ...direct, query: { ...ofFit, series: "mc" } }),
  );
  return plotAnswer(deps, call, "completeness", { completeness, goodness, stability }, version);
};

export const handlersOfPlots = room({
  plotMagnitudeFrequency: plotMagnitudeFrequencyHandler,
  plotCompleteness: plotCompletenessHandler,
  plotRates: plotRatesHandler,
  plotTimeMagnitude: plotTimeMagnitudeHandler,
  plotDepths: plotDepthsHandler,
  plotOmori: plotOmoriHandler,
  plotDensity: plotDensityHandler,
  plotNearestNeighbour: plotNearestNeighbourHandler,
});

type Accepted = { readonly operationId: string };

/** The answer of an analysis that was not asked for as an operation. */
function atOnce<A extends { readonly body: object }>(answer: A) {
  return answer as unknown as Omit<A, "body"> & { readonly body: Exclude<A["body"], Accepted> };
}
