import type { AssessedMember } from "../group-member.ts";
import { MORE_POPULATED_FIELDS, rank, TIES_OF_FIELDS } from "../ranking.ts";
import { type Solution, solutionOfBest } from "../solution.ts";

/** Keeps the event with the most populated fields. */
export function byCompleteness(members: readonly AssessedMember[]): Solution {
  return solutionOfBest(rank(members, [MORE_POPULATED_FIELDS, ...TIES_OF_FIELDS]));
}
