import { at } from "./columns.ts";
import { type Grouping, groupByRow } from "./grouping.ts";
import { sweepNeighbours } from "./neighbours.ts";
import type { Origins } from "./origins.ts";
import { type Thresholds, widened } from "./thresholds.ts";
import { inTimeOrder } from "./time-order.ts";

/** Pairs up to this multiple of both thresholds are near enough to be looked at (contract §6). */
const DOUBTFUL_FACTOR = 1.5;
/** The slack keeps 8.3 − 7.3, which is a hair above 1 in binary, at 1. */
const MAX_MAGNITUDE_DIFFERENCE = 1 + 1e-9;

/** Two events, by input row, `first` the earlier. */
export type AmbiguousPair = {
  readonly first: number;
  readonly second: number;
  /** Seconds. */
  readonly timeDifference: number;
  /** Kilometres. */
  readonly distance: number;
  /** Null where a magnitude is missing. */
  readonly magnitudeDifference: number | null;
};

export type AmbiguousPairs = {
  readonly pairs: readonly AmbiguousPair[];
  /** Whether there are more than `limit`. */
  readonly truncated: boolean;
};

/**
 * The pairs of events of different sources that a person should look at: within 1.5 times the
 * thresholds but not merged, or merged with magnitudes more than 1 apart. The first `limit` of them,
 * by their later event, then by the earlier.
 * @param magnitudes one for each row of `origins`, NaN where it is missing
 */
export function findAmbiguousPairs(
  origins: Origins,
  magnitudes: Float64Array,
  thresholds: Thresholds,
  grouping: Grouping,
  limit: number,
): AmbiguousPairs {
  const events = inTimeOrder(origins);
  const groups = groupByRow(grouping);
  const found: (AmbiguousPair & { readonly ranks: readonly [number, number] })[] = [];
  sweepNeighbours(
    events,
    widened(thresholds, DOUBTFUL_FACTOR),
    (earlier, later, micros, distance) => {
      const first = at(events.rows, earlier);
      const second = at(events.rows, later);
      const magnitudeDifference = difference(at(magnitudes, first), at(magnitudes, second));
      const isMerged = at(groups, first) === at(groups, second);
      if (isMerged && (magnitudeDifference ?? 0) <= MAX_MAGNITUDE_DIFFERENCE) return;
      const timeDifference = micros / 1_000_000;
      const pair = { first, second, timeDifference, distance, magnitudeDifference };
      found.push({ ...pair, ranks: [earlier, later] });
    },
    () => found.length <= limit,
  );
  const inOrder = found.toSorted((a, b) => a.ranks[1] - b.ranks[1] || a.ranks[0] - b.ranks[0]);
  return {
    pairs: inOrder.slice(0, limit).map(({ ranks: _, ...pair }) => pair),
    truncated: found.length > limit,
  };
}

function difference(a: number, b: number): number | null {
  return Number.isNaN(a - b) ? null : Math.abs(a - b);
}
