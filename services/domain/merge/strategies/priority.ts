import type { AssessedMember } from "../group-member.ts";
import { type Criterion, EARLIER_SOURCE, LOWER_ID, rank } from "../ranking.ts";
import { type Solution, solutionOfBest } from "../solution.ts";

/**
 * Keeps the event of the source whose label is `priority`, ignoring case. If no member or several
 * have that label, or it is empty, the first in the order of sources.
 */
export function byPriority(members: readonly AssessedMember[], priority: string): Solution {
  const order = [EARLIER_SOURCE, LOWER_ID];
  const criteria = priority === "" ? order : [preferSource(priority), ...order];
  return solutionOfBest(rank(members, criteria));
}

function preferSource(priority: string): Criterion {
  const wanted = priority.toLowerCase();
  const distance = ({ source }: AssessedMember) => (source.toLowerCase() === wanted ? 0 : 1);
  return {
    compare: (a, b) => distance(a) - distance(b),
    reason: (best) => `source of priority: ${best.source}`,
    tie: `priority ${priority} does not decide`,
  };
}
