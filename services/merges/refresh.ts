/** Refreshes of merges: what they change of the merged catalogue, written or only shown. */

import type { ClientBase } from "pg";
import { type Bounds, extendBounds, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import type { RefreshPreview } from "#contracts/http/merges.ts";
import { MERGE_LIMITS, type MergeConfig } from "#contracts/merges/config.ts";
import { eventId } from "#contracts/seismic-event/ids.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { PackedBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/log/chunks.ts";
import { copyWholeAt, type KnownWhole } from "#projections/read/edits.ts";
import { idsAt, type MergeBase } from "#projections/read/merges/refresh.ts";
import { type BoundName, touchedBounds } from "#services/domain/catalogues/catalogue.ts";
import { type Changes, type Chunk, sameRecord } from "../changes/revision-changes.ts";
import { type MergedRow, type MergeSource, mergedEvents } from "./plan.ts";
import {
  openRefresh,
  type RefreshRequest,
  type RefreshScope,
  refreshScope,
} from "./refresh-scope.ts";

type RefreshTask = RefreshRequest & {
  /** Of the latest version. */
  readonly bounds: Bounds;
};

/** Known before the first change. */
export type RefreshBegin = {
  readonly base: MergeBase;
  readonly sources: readonly MergeSource[];
  readonly config: MergeConfig;
  readonly duplicateGroups: number;
};

export type RefreshEnd = Changes & {
  /** Whether `bounds` are those of all events. */
  readonly isWhole: boolean;
};

/** The changes that make the latest version what a merge of the sources would be, as the chunks of a revision. */
export async function* refreshed({
  bounds: before,
  ...request
}: RefreshTask): AsyncGenerator<{ readonly begin: RefreshBegin } | Chunk, RefreshEnd> {
  await using opened = await openRefresh(request, true);
  const { client, beside, base, sources, config } = opened;
  const scope = await refreshScope(opened, request);
  const { isWhole, duplicateGroups } = scope;
  yield { begin: { base, sources, config, duplicateGroups } };
  const bounds = { ...NO_BOUNDS };
  const writer = createRefreshWriter(before, !isWhole);
  for await (const change of refreshChanges(client, beside, scope, (record) =>
    extendBounds(bounds, record),
  )) {
    const chunk = writer.write(change);
    if (chunk !== null) yield { chunk };
  }
  const chunk = writer.finish();
  if (chunk !== null) yield { chunk };
  return { ...writer.changes(), bounds, isWhole };
}

/** What a refresh does to an event. */
type RefreshChange =
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

/**
 * What makes the latest version of the merged catalogue the merge of its sources: nothing for events that are as they
 * should be.
 * @param client in the transaction of the plan
 * @param beside another connection
 * @param onMerged called with each event of the merge
 */
async function* refreshChanges(
  client: ClientBase,
  beside: ClientBase,
  { base, plan, former, concerned }: RefreshScope,
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

/** Events per look-up. */
const LOOKUP = 1_000;

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

/** @param keepsPlaces whether it finds out which bounds may shrink */
function createRefreshWriter(before: Bounds, keepsPlaces: boolean) {
  const writer = createChunkWriter();
  const touched = new Set<BoundName>();
  const goneIds: string[] = [];

  return {
    write(change: RefreshChange): EncodedChunk | null {
      if (keepsPlaces && change.change !== "added") {
        goneIds.push(change.id);
        for (const name of touchedBounds(before, change.before)) touched.add(name);
      }
      if (change.change === "removed") return writer.remove(change.id);
      const { id, record, bulletin } = change;
      if (change.change === "updated") return writer.update(change.id, record, bulletin);
      return id === null ? writer.add(record, bulletin) : writer.restore(id, record, bulletin);
    },
    finish: () => writer.finish(),
    changes: (): Omit<Changes, "bounds"> => ({
      ...writer.counts(),
      touched: [...touched],
      goneIds: touched.size > 0 ? goneIds : [],
    }),
  };
}

type Shown = RefreshPreview["changes"][number];

/** What a refresh would change; the first changes are told whole. */
export async function previewRefreshed(request: RefreshRequest): Promise<RefreshPreview> {
  await using opened = await openRefresh(request, false);
  const { client, beside, base, sources } = opened;
  const scope = await refreshScope(opened, request);
  const counts = { added: 0, updated: 0, removed: 0 };
  const changes: Shown[] = [];
  let newIds = 0;
  for await (const change of refreshChanges(client, beside, scope, () => {})) {
    counts[change.change] += 1;
    const isNew = change.change === "added" && change.id === null;
    if (changes.length < MERGE_LIMITS.preview) {
      changes.push(shown(change, eventId(base.id, base.lastRevision + 1, newIds)));
    }
    if (isNew) newIds += 1;
  }
  const { added, updated, removed } = counts;
  const eventCount = base.eventCount + added - removed;
  const originalEventCount = sources.reduce((sum, source) => sum + source.eventCount, 0);
  return {
    eventCount,
    originalEventCount,
    duplicateGroups: scope.duplicateGroups,
    duplicatesRemoved: originalEventCount - eventCount,
    version: base.version,
    ...counts,
    changes,
    truncated: added + updated + removed > changes.length,
  };
}

/** @param newId the id of an event that is new */
function shown(change: RefreshChange, newId: string): Shown {
  if (change.change === "removed") return { change: "removed", event: bodyOf(change.before) };
  const { record, bulletin } = change;
  const sha256 = bulletin?.sha256;
  const event = bodyOf({
    id: change.id ?? newId,
    ...record,
    ...(sha256 !== undefined && { bulletin_sha256: sha256 }),
  });
  return change.change === "added"
    ? { change: "added", event }
    : { change: "updated", event, before: bodyOf(change.before) };
}

function bodyOf({
  source_events: members,
  ...event
}: SeismicEventRecord & Pick<SeismicEvent, "id" | "bulletin_sha256">): Shown["event"] {
  return members === null ? event : { ...event, source_events: members };
}
