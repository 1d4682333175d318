import type { ClientBase } from "pg";
import { eventId, eventIdPlace } from "#contracts/seismic-event/ids.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { PackedBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { copyWholeAt, type KnownWhole } from "#projections/read/edits.ts";
import {
  type FormerRow,
  formerRows,
  idsAt,
  type MergeBase,
} from "#projections/read/merges/refresh.ts";
import { groupByRow } from "#services/domain/merges/grouping/group-events.ts";
import { at } from "#services/domain/merges/grouping/origins.ts";
import { createHeirs, NO_EVENT, NO_GROUP, rowsById } from "#services/domain/merges/refresh.ts";
import { sameRecord } from "../changes/revision-changes.ts";
import { type MergedRow, type MergePlan, mergedEvents } from "./plan.ts";

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

/** The events of a merged catalogue before a refresh, and which group goes on with each. */
type FormerEvents = {
  /** The id that a group goes on with; null where it is a new event. */
  readonly idOf: (group: number) => string | null;
  /** Whether a group goes on with it. */
  readonly isKept: (id: string) => boolean;
};

/**
 * Finds the heirs of the events that the merge, or its last refresh, left.
 * @param ids those events whose members the plan is of; null for all
 */
export async function readFormerEvents(
  client: ClientBase,
  { id: catalogueId, key, revision, formerCount }: MergeBase,
  { grouping, origins }: MergePlan,
  ids: readonly string[] | null,
): Promise<FormerEvents> {
  const groups = groupByRow(grouping);
  const rowOf = rowsById(origins.ids, origins.length);
  const groupOf = (member: string): number => {
    const row = rowOf(member);
    return row === -1 ? NO_GROUP : at(groups, row);
  };
  const events = createIdColumn(catalogueId, ids?.length ?? formerCount);
  const heirs = createHeirs(grouping.count);
  for await (const { id, founder, members } of formerEvents(
    formerRows(client, { key, version: revision }, ids),
  )) {
    const present = members.map(groupOf).filter((group) => group !== NO_GROUP);
    heirs.offer(events.push(id), {
      founder: founder === null ? NO_GROUP : groupOf(founder),
      members: present,
      size: members.length,
    });
  }
  const isKept = new Uint8Array(events.length());
  for (let group = 0; group < grouping.count; group += 1) {
    const event = heirs.eventOf(group);
    if (event !== NO_EVENT) isKept[event] = 1;
  }
  return {
    idOf(group) {
      const event = heirs.eventOf(group);
      return event === NO_EVENT ? null : events.idOf(event);
    },
    isKept: (id) => isKept[events.indexOf(id)] === 1,
  };
}

type FormerEvent = {
  readonly id: string;
  /** The member that was chosen when the event was made. */
  readonly founder: string | null;
  readonly members: readonly string[];
};

/** @param rows in order of the ids, the oldest of each event first */
async function* formerEvents(
  rows: AsyncIterable<readonly FormerRow[]>,
): AsyncGenerator<FormerEvent> {
  let known: Omit<FormerEvent, "members"> = { id: "", founder: null };
  for await (const batch of rows) {
    for (const { id, isPresent, members } of batch) {
      if (known.id !== id) known = { id, founder: founderOf(members) };
      if (isPresent) yield { ...known, members: (members ?? []).map((one) => one.event_id) };
    }
  }
}

function founderOf(members: FormerRow["members"]): string | null {
  return members?.find(({ chosen }) => chosen)?.event_id ?? null;
}

/** Ids of events of one catalogue in their order, in 12 bytes each. */
function createIdColumn(catalogueId: string, capacity: number) {
  const revisions = new Int32Array(capacity);
  const indexes = new Float64Array(capacity);
  let length = 0;
  return {
    length: () => length,
    push(id: string): number {
      if (length === capacity) throw new RangeError(`there is room for ${capacity} ids only`);
      const { revision, index } = eventIdPlace(id);
      revisions[length] = revision;
      indexes[length] = index;
      length += 1;
      return length - 1;
    },
    idOf: (event: number): string => eventId(catalogueId, at(revisions, event), at(indexes, event)),
    /** −1 for none. */
    indexOf(id: string): number {
      const { revision, index } = eventIdPlace(id);
      let [first, end] = [0, length];
      while (first < end) {
        const middle = (first + end) >>> 1;
        const order = at(revisions, middle) - revision || at(indexes, middle) - index;
        if (order === 0) return middle;
        if (order < 0) first = middle + 1;
        else end = middle;
      }
      return -1;
    },
  };
}
