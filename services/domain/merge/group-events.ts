import type { Linkage } from "#contracts/merge-config.ts";
import { createCandidates } from "./candidates.ts";
import { at } from "./columns.ts";
import type { Grouping } from "./grouping.ts";
import { createLinkedGroups, type LinkedGroups } from "./linked-groups.ts";
import { sweepNeighbours } from "./neighbours.ts";
import type { Origins } from "./origins.ts";
import { createPairMeasure } from "./pair-measure.ts";
import { nearness, type Thresholds } from "./thresholds.ts";
import { inTimeOrder, microsBetween, type OrderedOrigins } from "./time-order.ts";

/** Candidate pairs that are held at once: 16 bytes each and as much again while they are sorted. */
const MAX_CANDIDATES = 10_000_000;

export type GroupingOptions = { readonly linkage?: Linkage; readonly maxCandidates?: number };

/**
 * The events that are one earthquake each: candidates are taken nearest first, and join their groups
 * where the linkage lets them, at most one event of each source. The order of rows and sources changes
 * nothing.
 * O(N log N + candidates). A gap in time longer than the threshold parts the events into runs that
 * cannot touch each other, so candidates are settled run by run.
 * @throws TooManyCandidates when one run has more than `maxCandidates`
 */
export function groupEvents(
  origins: Origins,
  thresholds: Thresholds,
  { linkage = "complete", maxCandidates = MAX_CANDIDATES }: GroupingOptions = {},
): Grouping {
  const events = inTimeOrder(origins);
  const groups = createLinkedGroups(events, linkage, createPairMeasure(events, thresholds));
  const candidates = createCandidates(maxCandidates);
  sweepNeighbours(
    events,
    thresholds,
    (earlier, later, micros, kilometres) =>
      candidates.add(earlier, later, nearness(micros, kilometres, thresholds)),
    (rank) => {
      if (candidates.length > 0 && isEndOfRun(events, rank, thresholds)) {
        candidates.takeNearestFirst(groups.join);
      }
      return true;
    },
  );
  return groupingOf(events, groups);
}

function isEndOfRun(events: OrderedOrigins, rank: number, thresholds: Thresholds): boolean {
  return rank === events.length - 1 || microsBetween(events, rank, rank + 1) > thresholds.micros;
}

/** A group's members are side by side in the order of their ranks, behind those of earlier leaders. */
function groupingOf({ length, rows }: OrderedOrigins, groups: LinkedGroups): Grouping {
  const places = sizesByLeader(length, groups);
  const starts = new Int32Array(length + 1);
  let count = 0;
  let filled = 0;
  for (let rank = 0; rank < length; rank++) {
    const size = at(places, rank);
    if (size === 0) continue;
    places[rank] = filled;
    filled += size;
    starts[++count] = filled;
  }
  const members = new Int32Array(length);
  for (let rank = 0; rank < length; rank++) {
    const leader = groups.leaderOf(rank);
    const place = at(places, leader);
    members[place] = at(rows, rank);
    places[leader] = place + 1;
  }
  return { count, starts: starts.subarray(0, count + 1), members };
}

/** How many events each event leads, 0 unless it is the first of its group. */
function sizesByLeader(length: number, groups: LinkedGroups): Int32Array {
  const sizes = new Int32Array(length);
  for (let rank = 0; rank < length; rank++) {
    const leader = groups.leaderOf(rank);
    sizes[leader] = at(sizes, leader) + 1;
  }
  return sizes;
}
