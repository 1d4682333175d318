import type { ClientBase } from "pg";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { PackedBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { haveBulletins } from "#projections/queries/merges/merge-sources.ts";
import { at } from "#services/domain/merge/columns.ts";
import { membersOf } from "#services/domain/merge/grouping/grouping.ts";
import { mergeGroup } from "#services/domain/merge/merge-group.ts";
import { completeGroups } from "./complete-groups.ts";
import type { MergePlan } from "./merge-plan.ts";
import { createBulletinMerger } from "./merged-bulletin.ts";
import { createUniqueSourceIds } from "./unique-source-ids.ts";

/** An event of a merge, of the plan's group. */
export type MergedRow = {
  readonly group: number;
  readonly record: SeismicEventRecord;
  readonly bulletin: PackedBulletin | null;
};

/**
 * The merged events, each when the last event of its group was read.
 * @param client in the transaction of the plan
 * @throws Refusal MERGE_ERROR for a bulletin beyond the limits
 */
export async function* mergedEvents(
  client: ClientBase,
  plan: MergePlan,
): AsyncGenerator<MergedRow[]> {
  const withUniqueId = createUniqueSourceIds();
  const bulletinOf = createBulletinMerger(plan.rules);
  const withBulletins = await haveBulletins(client, plan.sources);
  for await (const groups of completeGroups(client, plan, () => true, withBulletins)) {
    yield groups.map(({ group, members }) => {
      const merged = mergeGroup(members, plan.rules);
      const row = at(membersOf(plan.grouping, group), merged.chosen);
      const record = withUniqueId(merged.record, plan.sourceIds.textOf(row));
      return { group, record, bulletin: bulletinOf(members, record, merged) };
    });
  }
}
