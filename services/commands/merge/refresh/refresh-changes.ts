import type { ClientBase } from "pg";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { PackedBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { copyWholeAt, type KnownWhole } from "#projections/read/edits.ts";
import { idsAt, type MergeBase } from "#projections/read/merges/refresh.ts";
import { sameRecord } from "../../changes/revision-changes.ts";
import type { MergePlan } from "../plan/merge-plan.ts";
import { type MergedRow, mergedEvents } from "../plan/merged-events.ts";
import type { FormerEvents } from "./former-events.ts";

/** What a refresh does to an event. */
export type RefreshChange =
  | (Written & {
      readonly change: "added";
      /** The id that it had before it was removed by hand; null of a new one. */
      readonly id: string | null;
    })
  | (Written & { readonly change: "updated"; readonly id: string; readonly before: SeismicEvent })
  | { readonly change: "removed"; readonly id: string; readonly before: SeismicEvent };

type Written = {
  readonly record: SeismicEventRecord;
  readonly bulletin: PackedBulletin | null;
};

/** What a refresh is of. */
export type Refreshing = {
  readonly base: MergeBase;
  readonly plan: MergePlan;
  readonly former: FormerEvents;
  /** The events of the merged catalogue that stay only where a group goes on with them; null for all. */
  readonly concerned: readonly string[] | null;
};

/** Events per look-up. */
const LOOKUP = 1_000;

/**
 * What makes the latest version of the merged catalogue the merge of its sources: nothing for events that are as they
 * should be.
 * @param client in the transaction of the plan
 * @param beside another connection
 * @param onMerged called with each event of the merge
 */
export async function* refreshChanges(
  client: ClientBase,
  beside: ClientBase,
  { base, plan, former, concerned }: Refreshing,
  onMerged: (record: SeismicEventRecord) => void,
): AsyncGenerator<RefreshChange> {
  for await (const rows of batches(mergedEvents(client, plan))) {
    const present = await presentEvents(
      beside,
      base,
      rows.flatMap(({ group }) => former.idOf(group) ?? []),
    );
    for (const row of rows) {
      onMerged(row.record);
      const id = former.idOf(row.group);
      const change = changeOf(row, id, id === null ? undefined : present.get(id));
      if (change !== null) yield change;
    }
  }
  for await (const ids of batches(idsAt(client, base, concerned))) {
    const gone = ids.filter((id) => !former.isKept(id));
    if (gone.length === 0) continue;
    for (const [id, { event }] of await presentEvents(beside, base, gone)) {
      yield { change: "removed", id, before: event };
    }
  }
}

function changeOf(
  { record, bulletin }: MergedRow,
  id: string | null,
  present: KnownWhole | undefined,
): RefreshChange | null {
  if (id === null || present === undefined) return { change: "added", id, record, bulletin };
  const isSame =
    (bulletin?.sha256 ?? null) === (present.bulletin?.sha256 ?? null) &&
    sameRecord(present.event, record);
  return isSame ? null : { change: "updated", id, record, bulletin, before: present.event };
}

async function presentEvents(
  client: ClientBase,
  base: MergeBase,
  ids: readonly string[],
): Promise<Map<string, KnownWhole>> {
  const events = new Map<string, KnownWhole>();
  if (ids.length === 0) return events;
  for await (const known of copyWholeAt(client, base, ids)) events.set(known.id, known);
  return events;
}

async function* batches<T>(items: AsyncIterable<readonly T[]>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const some of items) {
    batch.push(...some);
    if (batch.length < LOOKUP) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
