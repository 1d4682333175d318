import { unknownCase } from "#contracts/unknown-case.ts";
import { byAverage, meanOf } from "./average.ts";
import type { AssessedMember } from "./group-member.ts";
import type { MergeRules } from "./merge-rules.ts";
import {
  type Criterion,
  EARLIER_SOURCE,
  HIGHER_QUALITY,
  LATER_ORIGIN_TIME,
  LOWER_ID,
  MORE_POPULATED_FIELDS,
  rank,
  type Solution,
  solutionOfBest,
  TIE_BREAKS,
  TIES_OF_FIELDS,
} from "./ranking.ts";

type StrategyRules = Pick<MergeRules, "strategy" | "priority" | "thresholds">;

/** What a strategy makes of a group. */
export function solve(members: readonly AssessedMember[], rules: StrategyRules): Solution {
  if (members.length === 1) return solutionOfBest(rank(members, []));
  return rules.strategy === "average"
    ? byAverage(members, rules.thresholds)
    : solutionOfBest(rank(members, criteriaOf(members, rules)));
}

/** By what a strategy prefers one member of a group to another. */
export function criteriaOf(
  members: readonly AssessedMember[],
  { strategy, priority, thresholds }: StrategyRules,
): readonly Criterion[] {
  switch (strategy) {
    case "quality":
      return [HIGHER_QUALITY, ...TIE_BREAKS];
    case "priority":
      return byPriority(priority);
    case "average":
      return meanOf(members, thresholds).criteria;
    case "newest":
      return [LATER_ORIGIN_TIME, ...TIE_BREAKS];
    case "complete":
      return [MORE_POPULATED_FIELDS, ...TIES_OF_FIELDS];
    default:
      return unknownCase(strategy);
  }
}

/**
 * Prefers the source whose label is `priority`, ignoring case. If no member or several have that
 * label, or it is empty, the first in the order of sources.
 */
function byPriority(priority: string): Criterion[] {
  const order = [EARLIER_SOURCE, LOWER_ID];
  if (priority === "") return order;
  const wanted = priority.toLowerCase();
  const distance = ({ source }: AssessedMember) => (source.toLowerCase() === wanted ? 0 : 1);
  const preferred: Criterion = {
    compare: (a, b) => distance(a) - distance(b),
    reason: (best) => `source of priority: ${best.source}`,
    tie: `priority ${priority} does not decide`,
  };
  return [preferred, ...order];
}
