import type { ClientBase } from "pg";
import type { MergePreview } from "#contracts/http/merge.ts";
import { MERGE_LIMITS } from "#contracts/merge-config.ts";
import { findAmbiguousPairs } from "#services/domain/merge/ambiguous-pairs.ts";
import { membersOf } from "#services/domain/merge/grouping.ts";
import { mergeGroup } from "#services/domain/merge/merge-group.ts";
import { completeGroups } from "./complete-groups.ts";
import type { MergePlan } from "./merge-plan.ts";

type Group = MergePreview["groups"][number];
type AmbiguousPair = MergePreview["ambiguous"][number];

/** The preview of a merge: its groups and the pairs that a person should check. */
export async function previewOf(client: ClientBase, plan: MergePlan): Promise<MergePreview> {
  const { groups, more } = await duplicateGroups(client, plan);
  const { pairs, truncated } = ambiguousPairs(plan);
  return { ...plan.counts, groups, ambiguous: pairs, truncated: truncated || more };
}

async function duplicateGroups(
  client: ClientBase,
  plan: MergePlan,
): Promise<{ groups: Group[]; more: boolean }> {
  const wanted = firstDuplicates(plan);
  const found = new Map<number, Group>();
  if (wanted.size > 0) {
    for await (const complete of completeGroups(client, plan, (group) => wanted.has(group))) {
      for (const { group, members } of complete) {
        const { record, reason } = mergeGroup(members, plan.rules);
        found.set(group, { reason, members: record.source_events ?? [] });
      }
      if (found.size === wanted.size) break;
    }
  }
  const groups = [...found].sort(([a], [b]) => a - b).map(([, group]) => group);
  return { groups, more: plan.counts.duplicateGroups > groups.length };
}

function firstDuplicates({ grouping }: MergePlan): Set<number> {
  const first = new Set<number>();
  for (let group = 0; group < grouping.count && first.size < MERGE_LIMITS.preview; group += 1) {
    if (membersOf(grouping, group).length > 1) first.add(group);
  }
  return first;
}

function ambiguousPairs(plan: MergePlan): { pairs: AmbiguousPair[]; truncated: boolean } {
  const { origins, magnitudes, rules, grouping } = plan;
  const { preview } = MERGE_LIMITS;
  const found = findAmbiguousPairs(origins, magnitudes, rules.thresholds, grouping, preview);
  const pairs = found.pairs.map((pair) => ({
    first: pairedEvent(plan, pair.first),
    second: pairedEvent(plan, pair.second),
    time_difference: pair.timeDifference,
    distance: pair.distance,
    magnitude_difference: pair.magnitudeDifference,
  }));
  return { pairs, truncated: found.truncated };
}

function pairedEvent(
  { origins, sources, sourceIds }: MergePlan,
  row: number,
): AmbiguousPair["first"] {
  const source = sources[origins.source[row] ?? -1];
  const eventId = origins.ids.textOf(row);
  if (source === undefined || eventId === null) throw new RangeError(`no row ${row}`);
  return {
    catalogue_id: source.id,
    event_id: eventId,
    source_id: sourceIds.textOf(row),
    source: source.source,
  };
}
