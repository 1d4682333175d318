import type { RefreshPreview } from "#contracts/http/merges/merge-refresh.ts";
import { MERGE_LIMITS } from "#contracts/merge/merge-config.ts";
import { eventId } from "#contracts/seismic-event/event-id.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { openRefresh, type RefreshRequest } from "./open-refresh.ts";
import { type RefreshChange, refreshChanges } from "./refresh-changes.ts";
import { refreshScope } from "./refresh-scope.ts";

export type PreviewRefreshTask = RefreshRequest & { readonly databaseUrl: string };

type Shown = RefreshPreview["changes"][number];

/** What a refresh would change; the first changes are told whole. */
export async function previewRefreshed({
  databaseUrl,
  ...request
}: PreviewRefreshTask): Promise<RefreshPreview> {
  await using opened = await openRefresh(databaseUrl, request, false);
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
