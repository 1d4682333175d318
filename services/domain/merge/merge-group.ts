import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { byAverage } from "./average.ts";
import { type AssessedMember, assess, type GroupMember } from "./group-member.ts";
import { provenanceOf } from "./provenance.ts";
import {
  bestOf,
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
import type { Thresholds } from "./thresholds.ts";

export type MergeStrategy = "quality" | "priority" | "average" | "newest" | "complete";

export type MergeRules = {
  readonly strategy: MergeStrategy;
  /** Label of the preferred source for `priority`; may be empty. */
  readonly priority: string;
  /** The thresholds of the grouping: the unit of distances for `average`. */
  readonly thresholds: Thresholds;
};

export type MergedEvent = {
  /** Has `source_events`, with one entry per member, by time, then id. */
  readonly record: SeismicEventRecord;
  /** Index of the chosen member. */
  readonly chosen: number;
  readonly reason: string;
};

/**
 * Merges a group into one event. The order of `members` does not matter.
 * @param members at least one, of different catalogues; event ids are unique
 * @throws RangeError without members
 */
export function mergeGroup(members: readonly GroupMember[], rules: MergeRules): MergedEvent {
  const inOrder = members.map(assess).sort(compareMembers);
  const { record, ranked, reason } = solve(inOrder, rules);
  const { eventId } = bestOf(ranked);
  const merged = fillGaps(record, ranked);
  return {
    record: { ...merged, source_events: provenanceOf(inOrder, merged, eventId) },
    chosen: members.findIndex((member) => member.eventId === eventId),
    reason,
  };
}

/** A fixed order, since floating-point sums depend on the order. */
function compareMembers(a: AssessedMember, b: AssessedMember): number {
  return compareTimes(a.record.time, b.record.time) || (a.eventId < b.eventId ? -1 : 1);
}

function solve(members: readonly AssessedMember[], rules: MergeRules): Solution {
  const best = (criteria: readonly Criterion[]) => solutionOfBest(rank(members, criteria));
  if (members.length === 1) return best([]);
  switch (rules.strategy) {
    case "quality":
      return best([HIGHER_QUALITY, ...TIE_BREAKS]);
    case "priority":
      return best(byPriority(rules.priority));
    case "average":
      return byAverage(members, rules.thresholds);
    case "newest":
      return best([LATER_ORIGIN_TIME, ...TIE_BREAKS]);
    case "complete":
      return best([MORE_POPULATED_FIELDS, ...TIES_OF_FIELDS]);
    default:
      return unknownCase(rules.strategy);
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

/** Attributes of the earthquake, unlike those of its solution, may come from the next best member. */
function fillGaps(
  record: SeismicEventRecord,
  ranked: readonly AssessedMember[],
): SeismicEventRecord {
  return {
    ...record,
    region: record.region ?? firstKnown(ranked, "region"),
    event_type: record.event_type ?? firstKnown(ranked, "event_type"),
    focal_mechanisms: record.focal_mechanisms ?? firstKnown(ranked, "focal_mechanisms"),
  };
}

function firstKnown<N extends keyof SeismicEventRecord>(
  ranked: readonly AssessedMember[],
  name: N,
): SeismicEventRecord[N] | null {
  return ranked.find(({ record }) => record[name] !== null)?.record[name] ?? null;
}
