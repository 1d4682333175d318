import type { Linkage } from "#contracts/merge-config.ts";
import { at } from "./columns.ts";
import type { PairMeasure } from "./thresholds.ts";
import type { OrderedOrigins } from "./time-order.ts";

export type LinkedGroups = {
  /** Joins the groups of two events, if every pair of their members may be together. */
  join(a: number, b: number): void;
  /** The lowest rank in the group of `rank`. */
  leaderOf(rank: number): number;
};

/**
 * Groups of events, with at most one event of each source. With complete linkage every two members
 * are within both thresholds; with nearest linkage it is enough that the pair that joins two groups
 * is. Initially each event is alone. A group is a ring of its ranks, no longer than the number of
 * sources.
 */
export function createLinkedGroups(
  { length, source }: OrderedOrigins,
  linkage: Linkage,
  measure: PairMeasure,
): LinkedGroups {
  const leader = new Int32Array(length);
  for (let rank = 0; rank < length; rank++) leader[rank] = rank;
  const next = leader.slice();
  const isComplete = linkage === "complete";

  function isCompatible(a: number, b: number): boolean {
    return at(source, a) !== at(source, b) && (!isComplete || measure.isWithin(a, b));
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

  return {
    join(a, b) {
      if (at(leader, a) === at(leader, b)) return;
      const mayJoin = everyInRing(a, (one) => everyInRing(b, (other) => isCompatible(one, other)));
      if (!mayJoin) return;
      const newLeader = Math.min(at(leader, a), at(leader, b));
      lead(a, newLeader);
      lead(b, newLeader);
      const afterA = at(next, a);
      next[a] = at(next, b);
      next[b] = afterA;
    },
    leaderOf: (rank) => at(leader, rank),
  };
}
