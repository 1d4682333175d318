import { BIN_WIDTH, type MagnitudeBin } from "#contracts/http/analytics/analytics.ts";
import { binsOf, histogramOfCounts } from "#contracts/magnitude-histogram.ts";
import { magnitudeCounts } from "#projections/read/analytics/magnitudes.ts";
import { analyse, type MakeAnalysis } from "../analysis/analyse.ts";
import { countsOf, inputOfCounts } from "../analysis/input.ts";

export const getMagnitudeFrequencyHandler: MakeAnalysis<"getMagnitudeFrequency"> =
  (deps) => (call) => {
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
  };

type Counts = Awaited<ReturnType<typeof magnitudeCounts>>;

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
function seriesOf(counts: Counts, binWidth: number) {
  const known = counts.filter(({ value }) => value !== null);
  return countsOf(known.map(({ type, count }) => [type, count])).map(({ type, n }) => {
    const name = type?.toLowerCase() ?? null;
    const ofType = known.filter((count) => (count.type?.toLowerCase() ?? null) === name);
    return { type, n, bins: binsOf(histogramOfCounts(ofType, binWidth)) };
  });
}
