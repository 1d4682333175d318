import type { Linkage } from "#contracts/merge-config.ts";
import { createCandidates } from "./candidates.ts";
import { at } from "./columns.ts";
import type { Grouping } from "./grouping.ts";
import { createLinkedGroups, type LinkedGroups } from "./linked-groups.ts";
import { sweepNeighbours } from "./neighbours.ts";
import type { Origins } from "./origins.ts";
import { createPairMeasure, nearness, type Thresholds } from "./thresholds.ts";
import { inTimeOrder, microsBetween, type OrderedOrigins } from "./time-order.ts";

/** Most candidate pairs held at once: 16 bytes each, and as much again during sorting. */
const MAX_CANDIDATES = 10_000_000;

export type GroupingOptions = { readonly linkage?: Linkage; readonly maxCandidates?: number };

/**
 * Groups the events that are the same earthquake: candidate pairs are taken nearest first, and their
 * groups are joined if the linkage allows it, with at most one event of each source. The order of
 * rows and sources does not matter. O(N log N + candidates). A gap in time longer than the threshold
 * splits the events into independent runs, so candidates are processed run by run.
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

/** A group's members are adjacent in order of rank; groups are ordered by leader. */
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

/** The size of each event's group if the event is its first member, else 0. */
function sizesByLeader(length: number, groups: LinkedGroups): Int32Array {
  const sizes = new Int32Array(length);
  for (let rank = 0; rank < length; rank++) {
    const leader = groups.leaderOf(rank);
    sizes[leader] = at(sizes, leader) + 1;
  }
  return sizes;
}
