import type { AssessedMember } from "../group-member.ts";
import { rank, TIE_BREAKS } from "../ranking.ts";
import { type Solution, solutionOfBest } from "../solution.ts";

/** Keeps the event with the most populated fields, which is what the tie-breaks begin with. */
export function byCompleteness(members: readonly AssessedMember[]): Solution {
  return solutionOfBest(rank(members, TIE_BREAKS));
}
