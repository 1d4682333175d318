import { microsBetween, type OrderedOrigins } from "../time-order.ts";
import type { PairMeasure } from "./pair-measure.ts";

/**
 * A function that says whether a run ends with an event: whether no pair joins those up to it with later ones.
 * To be called for every rank, in order.
 */
export function createRunEnds(
  events: OrderedOrigins,
  { reachOf }: PairMeasure,
): (rank: number) => boolean {
  /** The event that reaches the latest. */
  let furthest = 0;
  return (rank) => {
    const gained = microsBetween(events, furthest, rank) + reachOf(rank) - reachOf(furthest);
    if (gained >= 0) furthest = rank;
    if (rank === events.length - 1) return true;
    return microsBetween(events, furthest, rank + 1) > reachOf(furthest);
  };
}
