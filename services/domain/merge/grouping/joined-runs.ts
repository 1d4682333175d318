import { at } from "../columns.ts";
import type { OrderedOrigins } from "../time-order.ts";
import type { PairMeasure } from "./pair-measure.ts";
import { createRunEnds } from "./run-ends.ts";

/**
 * A function that says whether an event's run has a group that reaches into another run; null where there is
 * none such.
 * @param groups ranks that are together whatever is between them
 */
export function joinedRuns(
  events: OrderedOrigins,
  measure: PairMeasure,
  groups: readonly (readonly number[])[],
): ((rank: number) => boolean) | null {
  if (groups.length === 0) return null;
  const runs = runsByRank(events, measure);
  const joined = new Set<number>();
  for (const group of groups) {
    const ofGroup = new Set(group.map((rank) => at(runs, rank)));
    if (ofGroup.size > 1) for (const run of ofGroup) joined.add(run);
  }
  return joined.size === 0 ? null : (rank) => joined.has(at(runs, rank));
}

function runsByRank(events: OrderedOrigins, measure: PairMeasure): Int32Array {
  const endsRun = createRunEnds(events, measure);
  const runs = new Int32Array(events.length);
  let run = 0;
  for (let rank = 0; rank < runs.length; rank++) {
    runs[rank] = run;
    if (endsRun(rank)) run++;
  }
  return runs;
}
