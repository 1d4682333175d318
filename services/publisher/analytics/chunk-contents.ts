import type { AnalyticsContent } from "#contracts/analytics/messages.ts";
import { type EventColumns, rowAt } from "#contracts/seismic-event/event-columns.ts";
import { eventIdAt, eventIdPrefix } from "#contracts/seismic-event/event-id.ts";
import type { Chunk } from "#infra/event-log/chunk-codec.ts";

export type EventChange = { readonly eventId: string; readonly content: AnalyticsContent };

/** Changes of seismic events in a chunk, in its order: added, updated, removed. */
export function* chunkContents(
  { firstIndex, added, updated, removed }: Chunk,
  catalogueId: string,
  revision: number,
): Generator<EventChange> {
  const prefix = eventIdPrefix(catalogueId, revision);
  for (let i = 0; i < added.length; i += 1) {
    const eventId = eventIdAt(prefix, firstIndex + i);
    const data = { catalogueId, revision, event: eventAt(added, i, eventId) };
    yield { eventId, content: { type: "seismic-event.added.v1", data } };
  }
  for (const [i, eventId] of updated.ids.entries()) {
    const data = { catalogueId, revision, event: eventAt(updated, i, eventId) };
    yield { eventId, content: { type: "seismic-event.updated.v1", data } };
  }
  for (const eventId of removed) {
    const data = { catalogueId, revision, eventId };
    yield { eventId, content: { type: "seismic-event.removed.v1", data } };
  }
}

/** The event as in the API's lists, since a merged event's provenance could exceed any message. */
function eventAt(events: EventColumns, index: number, id: string) {
  return { id, ...rowAt(events, index), source_events: undefined };
}
