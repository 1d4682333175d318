import type { Linkage } from "#contracts/merge/merge-config.ts";
import { at } from "../columns.ts";
import type { OrderedOrigins } from "../time-order.ts";
import type { DecidedPairs } from "./decided-pairs.ts";
import { areWithin, type PairMeasure } from "./pair-measure.ts";

export type LinkedGroups = {
  /** Joins the groups of two events, if every pair of their members may be together. */
  join(a: number, b: number): void;
  /** Joins the groups of two events, whatever is between them. */
  unite(a: number, b: number): void;
  /** The lowest rank in the group of `rank`. */
  leaderOf(rank: number): number;
};

export type LinkRules = {
  readonly linkage: Linkage;
  readonly measure: PairMeasure;
  /** Pairs that are kept apart, and events that are one member. */
  readonly decided: Pick<DecidedPairs, "areDifferent" | "togetherWith"> | null;
};

/**
 * Groups of events, with at most one event of each source. With complete linkage every two members
 * of two groups that join are within both thresholds; with nearest linkage it is enough that the pair
 * that joins them is. Events that decisions have put together are one member, which is wherever one of them
 * is, so that no event is left out for being near to only one of them. Initially each event is alone. A group is a ring of its ranks, no longer than the
 * number of sources.
 */
export function createLinkedGroups(
  events: OrderedOrigins,
  { linkage, measure, decided }: LinkRules,
): LinkedGroups {
  const { length, source } = events;
  const leader = new Int32Array(length);
  for (let rank = 0; rank < length; rank++) leader[rank] = rank;
  const next = leader.slice();
  const isComplete = linkage === "complete";

  function isCompatible(a: number, b: number): boolean {
    if (at(source, a) === at(source, b)) return false;
    if (isComplete && !areNear(a, b)) return false;
    return decided === null || !decided.areDifferent(a, b);
  }

  function areNear(a: number, b: number): boolean {
    const [ofA, ofB] = [decided?.togetherWith(a), decided?.togetherWith(b)];
    if (ofA === undefined && ofB === undefined) return areWithin(events, measure, a, b);
    const [all, others] = [ofA ?? [a], ofB ?? [b]];
    // Asked of the first of a member for all of it.
    if (all[0] !== a || others[0] !== b) return true;
    return all.some((one) => others.some((other) => areWithin(events, measure, one, other)));
  }

  function everyInRing(start: number, test: (rank: number) => boolean): boolean {
    let rank = start;
    do {
      if (!test(rank)) return false;
      rank = at(next, rank);
    } while (rank !== start);
    return true;
  }

  function lead(rank: number, newLeader: number): void {
    everyInRing(rank, (member) => {
      leader[member] = newLeader;
      return true;
    });
  }

  function unite(a: number, b: number): void {
    if (at(leader, a) === at(leader, b)) return;
    const newLeader = Math.min(at(leader, a), at(leader, b));
    lead(a, newLeader);
    lead(b, newLeader);
    const afterA = at(next, a);
    next[a] = at(next, b);
    next[b] = afterA;
  }

  return {
    join(a, b) {
      if (at(leader, a) === at(leader, b)) return;
      if (everyInRing(a, (one) => everyInRing(b, (other) => isCompatible(one, other)))) unite(a, b);
    },
    unite,
    leaderOf: (rank) => at(leader, rank),
  };
}
