import { type Bounds, extendBounds, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import type { RefreshPreview } from "#contracts/http/merges.ts";
import { MERGE_LIMITS, type MergeConfig } from "#contracts/merges/config.ts";
import { eventId } from "#contracts/seismic-event/ids.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/log/chunks.ts";
import type { MergeBase } from "#projections/read/merges/refresh.ts";
import { type BoundName, touchedBounds } from "#services/domain/catalogues/catalogue.ts";
import type { Changes, Chunk } from "../changes/revision-changes.ts";
import type { MergeSource } from "./plan.ts";
import { type RefreshChange, refreshChanges } from "./refresh-changes.ts";
import { openRefresh, type RefreshRequest, refreshScope } from "./refresh-scope.ts";

export type RefreshTask = RefreshRequest & {
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

/** @param keepsPlaces whether it finds out which bounds may shrink */
function createRefreshWriter(before: Bounds, keepsPlaces: boolean) {
  const writer = createChunkWriter();
  const touched = new Set<BoundName>();
  const goneIds: string[] = [];

  function chunkOf(change: RefreshChange): EncodedChunk | null {
    switch (change.change) {
      case "added":
        return change.id === null
          ? writer.add(change.record, change.bulletin)
          : writer.restore(change.id, change.record, change.bulletin);
      case "updated":
        return writer.update(change.id, change.record, change.bulletin);
      case "removed":
        return writer.remove(change.id);
    }
  }

  return {
    write(change: RefreshChange): EncodedChunk | null {
      if (keepsPlaces && change.change !== "added") {
        goneIds.push(change.id);
        for (const name of touchedBounds(before, change.before)) touched.add(name);
      }
      return chunkOf(change);
    },
    finish: () => writer.finish(),
    changes: (): Omit<Changes, "bounds"> => ({
      ...writer.counts(),
      touched: [...touched],
      goneIds: touched.size > 0 ? goneIds : [],
    }),
  };
}

export type PreviewRefreshTask = RefreshRequest;

type Shown = RefreshPreview["changes"][number];

/** What a refresh would change; the first changes are told whole. */
export async function previewRefreshed({
  ...request
}: PreviewRefreshTask): Promise<RefreshPreview> {
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
