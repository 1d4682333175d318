import type { AssessedMember } from "../group-member.ts";
import { HIGHER_QUALITY, rank, TIE_BREAKS } from "../ranking.ts";
import { type Solution, solutionOfBest } from "../solution.ts";

/** Keeps the event with the highest quality score. */
export function byQuality(members: readonly AssessedMember[]): Solution {
  return solutionOfBest(rank(members, [HIGHER_QUALITY, ...TIE_BREAKS]));
}
