import {
  decidedPairs,
  type Grouping,
  type GroupingRules,
  groupByRow,
  membersOf,
  sizeOf,
  sweepNeighbours,
} from "./group-events.ts";
import {
  areWithin,
  at,
  createPairMeasure,
  inTimeOrder,
  kilometresBetween,
  microsBetween,
  type Origins,
  widenedPairs,
} from "./thresholds.ts";

/** Pairs within this multiple of both their thresholds are looked at. */
const DOUBTFUL_FACTOR = 1.5;
/** The tolerance accepts 8.3 − 7.3, which exceeds 1 slightly in binary, as 1. */
const MAX_MAGNITUDE_DIFFERENCE = 1 + 1e-9;

/** Two events, by input row; `first` is the earlier. */
export type AmbiguousPair = {
  readonly first: number;
  readonly second: number;
  /** Seconds. */
  readonly timeDifference: number;
  /** Kilometres. */
  readonly distance: number;
  /** Null when a magnitude is missing. */
  readonly magnitudeDifference: number | null;
};

/**
 * The pairs of events of different sources that a person should check: within 1.5 times their
 * thresholds but not merged, or merged with magnitudes more than 1 apart; without those of which decisions
 * have said, be it by way of others, what they are. Returns the first `limit`, ordered by the later event,
 * then by the earlier; `truncated` where there are more.
 */
export function findAmbiguousPairs(
  origins: Origins,
  rules: GroupingRules,
  grouping: Grouping,
  limit: number,
) {
  const events = inTimeOrder(origins);
  const { rows } = events;
  const { magnitude } = origins;
  const ranks = ranksOf(rows);
  const groups = groupByRow(grouping);
  const decided = decidedPairs(rules.decisions, rows);
  const doubtful = createPairMeasure(events, widenedPairs(rules, DOUBTFUL_FACTOR));
  const pairs: (AmbiguousPair & { readonly ranks: readonly [number, number] })[] = [];

  function look(earlier: number, later: number, micros: number, distance: number): void {
    const first = at(rows, earlier);
    const second = at(rows, later);
    const difference = Math.abs(at(magnitude, first) - at(magnitude, second));
    const magnitudeDifference = Number.isNaN(difference) ? null : difference;
    if (decided?.areDecided(earlier, later)) return;
    const isMerged = at(groups, first) === at(groups, second);
    if (isMerged && (magnitudeDifference ?? 0) <= MAX_MAGNITUDE_DIFFERENCE) return;
    const timeDifference = micros / 1_000_000;
    const pair = { first, second, timeDifference, distance, magnitudeDifference };
    pairs.push({ ...pair, ranks: [earlier, later] });
  }

  /** With nearest linkage, members of a group may be further apart than the sweep reaches. */
  function lookAtFarMembers(rank: number): void {
    const group = at(groups, at(rows, rank));
    // A group of two is always a near pair, or one that was decided.
    if (sizeOf(grouping, group) <= 2) return;
    for (const row of membersOf(grouping, group)) {
      const earlier = at(ranks, row);
      if (earlier >= rank) return;
      if (areWithin(events, doubtful, earlier, rank)) continue;
      const distance = kilometresBetween(origins, row, at(rows, rank));
      look(earlier, rank, microsBetween(events, earlier, rank), distance);
    }
  }

  sweepNeighbours(events, doubtful, look, (rank) => {
    lookAtFarMembers(rank);
    return pairs.length <= limit;
  });
  const inOrder = pairs.toSorted((a, b) => a.ranks[1] - b.ranks[1] || a.ranks[0] - b.ranks[0]);
  return {
    pairs: inOrder.slice(0, limit).map(({ ranks: _, ...pair }) => pair),
    truncated: pairs.length > limit,
  };
}

function ranksOf(rows: Int32Array): Int32Array {
  const ranks = new Int32Array(rows.length);
  for (let rank = 0; rank < rows.length; rank++) ranks[at(rows, rank)] = rank;
  return ranks;
}
