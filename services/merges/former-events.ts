/** The events of a merged catalogue before a refresh, and which group of the new merge goes on with each. */

import type { ClientBase } from "pg";
import { eventId, eventIdPlace } from "#contracts/seismic-event/ids.ts";
import { type FormerRow, formerRows, type MergeBase } from "#projections/read/merges/refresh.ts";
import { groupByRow } from "#services/domain/merges/grouping/group-events.ts";
import { at } from "#services/domain/merges/grouping/thresholds.ts";
import { createHeirs, NO_EVENT, NO_GROUP, rowsById } from "#services/domain/merges/refresh.ts";
import type { MergePlan } from "./plan.ts";

export type FormerEvents = Awaited<ReturnType<typeof readFormerEvents>>;

/**
 * Finds the heirs of the events that the merge, or its last refresh, left.
 * @param ids those events whose members the plan is of; null for all
 */
export async function readFormerEvents(
  client: ClientBase,
  { id: catalogueId, key, revision, formerCount }: MergeBase,
  { grouping, origins }: MergePlan,
  ids: readonly string[] | null,
) {
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
    heirs.offer(events.push(id), {
      founder: founder === null ? NO_GROUP : groupOf(founder),
      members: members.map(groupOf).filter((group) => group !== NO_GROUP),
      size: members.length,
    });
  }
  const isKept = new Uint8Array(events.length());
  for (let group = 0; group < grouping.count; group += 1) {
    const event = heirs.eventOf(group);
    if (event !== NO_EVENT) isKept[event] = 1;
  }
  return {
    /** The id that a group goes on with; null where it is a new event. */
    idOf(group: number): string | null {
      const event = heirs.eventOf(group);
      return event === NO_EVENT ? null : events.idOf(event);
    },
    /** Whether a group goes on with it. */
    isKept: (id: string): boolean => isKept[events.indexOf(id)] === 1,
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
      if (known.id !== id)
        known = { id, founder: members?.find(({ chosen }) => chosen)?.event_id ?? null };
      if (isPresent) yield { ...known, members: (members ?? []).map((one) => one.event_id) };
    }
  }
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
