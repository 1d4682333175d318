import type { CompletenessMethod } from "#contracts/http/analytics/magnitudes.ts";
import { magnitudeList } from "#projections/read/analytics/magnitudes.ts";
import { noEstimate } from "#services/domain/analytics/estimate.ts";
import {
  byEntireRange,
  byGoodnessOfFit,
  byMaximumCurvature,
  byStability,
  byTest,
  type CompletenessOptions,
  type FoundCompleteness,
} from "#services/domain/analytics/magnitudes/completeness.ts";
import type { GatewayThreads } from "../../../threads/gateway-threads.ts";
import type { MagnitudeData } from "./magnitude-data.ts";

export type SeededOptions = CompletenessOptions & { readonly seed: number };

/** The papers of the methods. */
export const COMPLETENESS_REFERENCES: Readonly<Record<CompletenessMethod, string>> = {
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
