import { setImmediate } from "node:timers/promises";
import type { AnalyticsContent } from "#contracts/analytics/messages.ts";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import { revisionStream } from "#contracts/names.ts";
import { type EventColumns, rowAt } from "#contracts/seismic-event/event-columns.ts";
import { eventIdAt, eventIdPrefix } from "#contracts/seismic-event/event-id.ts";
import { type Chunk, decodeChunk } from "#infra/event-log/chunk-codec.ts";
import type { EventLog, RecordedEvent } from "#infra/event-log/event-log.ts";
import type { FeedCheckpoint } from "#infra/kafka/feed-checkpoint.ts";
import type { MessageMaker } from "./feed-message.ts";
import type { Outbox } from "./outbox.ts";

export type RevisionDeps = {
  readonly log: Pick<EventLog, "read">;
  readonly outbox: Outbox;
  readonly make: MessageMaker;
};

/** The log has fewer chunks than the commit counts. */
export class MissingChunks extends Error {
  override readonly name = "MissingChunks";
}

/** Chunks read at once: a chunk is 100 to 200 KB, and a few MB when unpacked. */
const CHUNKS_AT_ONCE = 4;

/**
 * Publishes a committed revision's changes of events, starting after the acknowledged ones. The
 * checkpoint advances from chunk to chunk, so that a large revision gets through even if the broker
 * is only available for short times.
 * @returns the number of all messages, which is the ordinal of the revision's own message
 * @throws MissingChunks, CorruptChunk, UnknownChunkVersion
 */
export async function publishRevision(
  { log, outbox, make }: RevisionDeps,
  commit: RecordedEvent,
  { catalogueId, revision, chunks }: CatalogueEventData<"RevisionCommitted">,
  { part, ...reached }: FeedCheckpoint,
): Promise<number> {
  const acknowledged = part?.commitId === commit.id ? part : { chunks: 0, messages: 0 };
  const stream = revisionStream(catalogueId, revision);
  let at = acknowledged.chunks;
  let ordinal = acknowledged.messages;
  while (at < chunks) {
    const events = await log.read(stream, at, Math.min(CHUNKS_AT_ONCE, chunks - at));
    if (events.length === 0) throw new MissingChunks(`${stream} ends at ${at} of ${chunks} chunks`);
    for (const { data } of events) {
      const chunk = decodeChunk(data as Uint8Array);
      for (const { eventId, content } of chunkContents(chunk, catalogueId, revision)) {
        await outbox.add(make(ordinal, content, eventId));
        ordinal += 1;
      }
      at += 1;
      outbox.mark({ ...reached, part: { commitId: commit.id, chunks: at, messages: ordinal } });
      // Yields, since this process may also answer requests.
      await setImmediate();
    }
  }
  return ordinal;
}

export type EventChange = { readonly eventId: string; readonly content: AnalyticsContent };

/** Changes of seismic events in a chunk, in its order. */
function* chunkContents(
  { firstIndex, added, restored, updated, removed }: Chunk,
  catalogueId: string,
  revision: number,
): Generator<EventChange> {
  const prefix = eventIdPrefix(catalogueId, revision);
  for (let i = 0; i < added.length; i += 1) {
    const eventId = eventIdAt(prefix, firstIndex + i);
    const data = { catalogueId, revision, event: eventAt(added, i, eventId) };
    yield { eventId, content: { type: "seismic-event.added.v1", data } };
  }
  for (const [i, eventId] of restored.ids.entries()) {
    const data = { catalogueId, revision, event: eventAt(restored, i, eventId) };
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
