import type { AssessedMember } from "../group-member.ts";
import { LATER_ORIGIN_TIME, rank, TIE_BREAKS } from "../ranking.ts";
import { type Solution, solutionOfBest } from "../solution.ts";

/** Keeps the event with the latest origin time. */
export function byNewest(members: readonly AssessedMember[]): Solution {
  return solutionOfBest(rank(members, [LATER_ORIGIN_TIME, ...TIE_BREAKS]));
}
