import type { ClientBase } from "pg";
import type { TextRow } from "#infra/postgres/copy/copied-rows.ts";
import {
  MERGE_COLUMNS,
  orderedRows,
  orderedRowsWithBulletins,
} from "#projections/read/merges/sources.ts";
import { createRecordReader } from "#projections/read/versions.ts";
import { groupByRow, membersOf } from "#services/domain/merges/grouping/group-events.ts";
import { at } from "#services/domain/merges/grouping/origins.ts";
import type { GroupMember } from "#services/domain/merges/solution/quality-score.ts";
import type { MergePlan } from "./merge-plan.ts";

/** An event of a group, with its bulletin as it was copied if bulletins are read. */
export type ReadMember = GroupMember & { readonly bulletin: string | null };

/** A group with all its members, in the order of the plan's rows. */
export type CompleteGroup = { readonly group: number; readonly members: readonly ReadMember[] };

/**
 * The requested groups, each when its last member was read. Only groups that are open at the same
 * time are in memory: those within a time threshold of each other, or with nearest linkage, within
 * as many thresholds as there are sources.
 * @param client in the transaction of the plan
 * @param withBulletins whether to read them; they stay compressed
 */
export async function* completeGroups(
  client: ClientBase,
  plan: MergePlan,
  isWanted: (group: number) => boolean,
  withBulletins: boolean,
): AsyncGenerator<CompleteGroup[]> {
  const { grouping, origins, sources } = plan;
  const groups = groupByRow(grouping);
  const open = new Map<number, ReadMember[]>();
  let rank = 0;
  const read = withBulletins ? orderedRowsWithBulletins : orderedRows;
  for await (const rows of read(client, sources, MERGE_COLUMNS, plan.only)) {
    const complete: CompleteGroup[] = [];
    for (const row of rows) {
      const group = at(groups, rank);
      if (row[EVENT_ID] !== origins.ids.textOf(rank))
        throw new Error(`row ${rank} is another than before`);
      rank += 1;
      if (!isWanted(group)) continue;
      const members = open.get(group) ?? [];
      members.push(memberOf(row, plan));
      if (members.length < membersOf(grouping, group).length) open.set(group, members);
      else {
        open.delete(group);
        complete.push({ group, members });
      }
    }
    yield complete;
  }
}

const SOURCE = MERGE_COLUMNS.indexOf("source");
const EVENT_ID = MERGE_COLUMNS.indexOf("event_id");
const BULLETIN = MERGE_COLUMNS.length;
const recordOf = createRecordReader(MERGE_COLUMNS);

/** Provenance from earlier merges is dropped, since the result describes this merge. */
function memberOf(row: TextRow, { sources }: MergePlan): ReadMember {
  const sourceOrder = Number(row[SOURCE]);
  const source = sources[sourceOrder];
  const eventId = row[EVENT_ID];
  if (source === undefined || !eventId) throw new RangeError(`no source ${sourceOrder}`);
  const record = recordOf(row);
  const bulletin = row[BULLETIN] ?? null;
  return { record, catalogueId: source.id, eventId, source: source.source, sourceOrder, bulletin };
}
