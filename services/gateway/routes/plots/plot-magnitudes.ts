import { BIN_WIDTH } from "#contracts/http/analytics/analytics.ts";
import { getBValueHandler } from "../analytics/magnitudes/b-value.ts";
import { getCompletenessHandler } from "../analytics/magnitudes/completeness.ts";
import { getMagnitudeFrequencyHandler } from "../analytics/magnitudes/magnitude-frequency.ts";
import type { MakeHandler } from "../make-handler.ts";
import { atOnce } from "./at-once.ts";
import { plotAnswer } from "./plot-answer.ts";

type Needs = "reads" | "keptAnalyses" | "threads" | "runner" | "versionHistories" | "publicBaseUrl";

export const plotMagnitudeFrequencyHandler: MakeHandler<"plotMagnitudeFrequency", Needs> =
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

export const plotCompletenessHandler: MakeHandler<"plotCompleteness", Needs> =
  (deps) => async (call) => {
    const getCompleteness = getCompletenessHandler(deps);
    const direct = { ...call, prefersAsync: false };
    const completeness = atOnce(await getCompleteness(direct));
    const { version } = completeness.body;
    const { method: _method, ...ofFit } = { ...call.query, asOf: String(version) };
    const goodness = atOnce(
      await getCompleteness({ ...direct, query: { ...ofFit, method: "gft" } }),
    );
    const stability = atOnce(
      await getBValueHandler(deps)({ ...direct, query: { ...ofFit, series: "mc" } }),
    );
    return plotAnswer(deps, call, "completeness", { completeness, goodness, stability }, version);
  };
