import type { ClientBase } from "pg";
import type { MergePreview, ScoreParts } from "#contracts/http/merges/merge.ts";
import { MERGE_LIMITS } from "#contracts/merge/merge-config.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { membersOf } from "#services/domain/merge/grouping/grouping.ts";
import { mergeGroup } from "#services/domain/merge/merge-group.ts";
import { qualityScore } from "#services/domain/merge/quality-score.ts";
import { completeGroups } from "./plan/complete-groups.ts";
import type { MergePlan } from "./plan/merge-plan.ts";
import { ambiguousPairs, placeOf } from "./preview-pairs.ts";

type Group = MergePreview["groups"][number];

/** The preview of a merge: its groups and the pairs that a person should check. */
export async function previewOf(client: ClientBase, plan: MergePlan): Promise<MergePreview> {
  const { groups, more } = await duplicateGroups(client, plan);
  const { pairs, truncated } = await ambiguousPairs(client, plan);
  return { ...plan.counts, groups, ambiguous: pairs, truncated: truncated || more };
}

async function duplicateGroups(
  client: ClientBase,
  plan: MergePlan,
): Promise<{ groups: Group[]; more: boolean }> {
  const wanted = firstDuplicates(plan);
  const byNumber = new Map<number, Group>();
  if (wanted.size > 0) {
    // To the end of the rows: after an early return the connection would be in the middle of a COPY.
    const isWanted = (group: number) => wanted.has(group);
    for await (const complete of completeGroups(client, plan, isWanted, false)) {
      for (const { group, members } of complete) {
        const { record, reason } = mergeGroup(members, plan.rules);
        const records = new Map(members.map((one) => [one.eventId, one.record]));
        const sources = (record.source_events ?? []).map((one) => {
          const own = records.get(one.event_id);
          if (own === undefined) throw new RangeError(`no member ${one.event_id}`);
          return { ...one, ...placeOf(own), score_parts: scorePartsOf(own) };
        });
        byNumber.set(group, { reason, members: sources });
      }
    }
  }
  const groups = [...byNumber].sort(([a], [b]) => a - b).map(([, group]) => group);
  return { groups, more: plan.counts.duplicateGroups > groups.length };
}

function scorePartsOf(record: SeismicEventRecord): ScoreParts {
  const { total: _, magnitudeUncertainty, magnitudeType, ...parts } = qualityScore(record);
  return {
    ...parts,
    magnitude_uncertainty: magnitudeUncertainty,
    magnitude_type: magnitudeType,
  };
}

function firstDuplicates({ grouping }: MergePlan): Set<number> {
  const first = new Set<number>();
  for (let group = 0; group < grouping.count && first.size < MERGE_LIMITS.preview; group += 1) {
    if (membersOf(grouping, group).length > 1) first.add(group);
  }
  return first;
}
