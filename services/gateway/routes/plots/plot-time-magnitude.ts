import { magnitudesOverTime } from "#projections/queries/analytics/magnitudes-over-time.ts";
import { analyse, type MakeAnalysis } from "../analytics/analysis/analyse.ts";
import { inputOfAll } from "../analytics/analysis/input.ts";
import { getBValueHandler } from "../analytics/magnitudes/b-value.ts";
import { atOnce } from "./at-once.ts";
import { plotAnswer } from "./plot-answer.ts";

/**
 * That are shown as dots; of more these would hide each other, and a part of them would tell of gaps that
 * are none: they are counted by time and magnitude.
 */
const MOST_EVENTS = 3_000;
/** Of more, shown as dots over the numbers of all. */
const LARGEST = 100;

export const plotTimeMagnitudeHandler: MakeAnalysis<
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
