import { MAX_NEIGHBOURS } from "#contracts/http/analytics/nearest-neighbour.ts";
import { magnitudeCounts } from "#projections/read/analytics/magnitudes.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { inputOfCounts } from "./analysis/input.ts";

/** Wide bins: only the number of events is looked at. */
const ONE_BIN = 100;

export const getNearestNeighboursHandler: MakeAnalysis<"getNearestNeighbours", "declusterer"> =
  (deps) => (call) => {
    const { df = 1.6, b = 1, threshold = null } = call.query;
    return analyse(deps, call, {
      method: "nearest-neighbour",
      parameters: { df, b, threshold },
      reference: "Zaliapin & Ben-Zion 2013",
      find: async (pool, { version, filters }, { asker, leave }) => {
        const counts = await magnitudeCounts(pool, { version, filters }, ONE_BIN);
        const input = inputOfCounts(counts, filters);
        const n = input.events - (input.withoutMagnitude ?? 0);
        const reason = reasonOf(n);
        if (reason !== null) {
          const outcome = { estimate: null, reason, n, required: 2 } as const;
          return { input, outcome, bins: [], series: [], warnings: [] };
        }
        const options = { df, b, threshold };
        leave();
        const { id, key, version: number } = version;
        const task = { version: { id, key, version: number }, filters, options };
        const proximities = await deps.declusterer.proximities(task, asker);
        const { estimate, bins, series, isBimodal } = proximities;
        const isUsual = !isBimodal && threshold === null;
        const message = `the events do not fall into a clustered and a background part; the threshold between them is ${estimate.threshold}`;
        const warnings = isUsual ? [{ code: "NOT_BIMODAL", message }] : [];
        return { input, outcome: { estimate }, bins, series, warnings };
      },
    });
  };

function reasonOf(n: number): string | null {
  if (n < 2) return "fewer than two events have a magnitude";
  if (n <= MAX_NEIGHBOURS) return null;
  return `more than ${MAX_NEIGHBOURS} events: narrow the filters, or decluster in the background`;
}
